/**
 * @module Provides a project's package manager: the machine's own if its version fits, otherwise
 * one from npm.
 */
import { delimiter, join } from "node:path";
import { coerce, satisfies, valid, validRange } from "semver";
import { runProgram } from "../../lib/spawn_program.ts";
import { type DetectedProject, type FoundManager, usualVersion } from "../../manifest/mod.ts";
import { BuildError } from "../build_error.ts";
import { createFolderReader } from "../folder_reader.ts";
import { environmentOf } from "../run_command.ts";
import { type BuildHost, inEnvironment } from "../types.ts";
import { fetchManager } from "./fetch_manager.ts";
import { managerVariables } from "./manager_variables.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the environment with a folder prepended to its search path. The variable's name can be in
 * upper or lower case.
 */
function withFolderFirst(env: Environment, folder: string): Environment {
  const name = Object.keys(env).find((each) => each.toUpperCase() === "PATH") ?? "PATH";
  const path = env[name];
  return { ...env, [name]: path === undefined ? folder : `${folder}${delimiter}${path}` };
}

/** Maximum duration of `--version`, in milliseconds. Some managers download themselves first. */
const VERSION_MS = 60_000;

interface ManagerFacts {
  /** Absolute path of the project's folder. */
  readonly directory: string;
  readonly detected: DetectedProject;
  /** Commands to run. */
  readonly commands: readonly string[];
}

/**
 * Returns the version that is installed on the machine, or `undefined` if that version does not
 * work for this project.
 */
async function versionOnPath(
  host: BuildHost,
  { name, directory }: { readonly name: string; readonly directory: string },
): Promise<string | undefined> {
  const isWindows = Deno.build.os === "windows";
  const signal = AbortSignal.any([host.signal, AbortSignal.timeout(VERSION_MS)]);
  try {
    const { success, stdout } = await runProgram(isWindows ? "cmd" : name, {
      args: isWindows ? ["/d", "/s", "/c", name, "--version"] : ["--version"],
      cwd: directory,
      env: environmentOf({ ...host.env, COREPACK_ENABLE_DOWNLOAD_PROMPT: "0" }),
      clearEnv: true,
      signal,
      stdin: "null",
      stderr: "null",
    });
    host.signal.throwIfAborted();
    if (!success) return undefined;
    const [, text = ""] = /(\d+\.\d+\.\d+\S*)/.exec(new TextDecoder().decode(stdout)) ?? [];
    return valid(text) ?? coerce(text)?.version;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/**
 * Returns whether a version satisfies a requirement. Any version satisfies a tag such as `latest`.
 */
function fits(version: string, wanted: string | undefined): boolean {
  if (wanted === undefined || validRange(wanted) === null) return true;
  return satisfies(version, wanted, { includePrerelease: true });
}

/** Warns about lock files from several package managers. */
function warnOf(host: BuildHost, { name, lockFile, otherLockFiles }: FoundManager): void {
  if (otherLockFiles.length === 0) return;
  host.say(
    "install",
    "warn",
    `Found lock files from several package managers: using ${lockFile ?? name}, not ${
      otherLockFiles.join(" or ")
    }. Delete the unused lock files, or set "packageManager" in package.json`,
  );
}

async function provide(
  host: BuildHost,
  found: FoundManager,
  { directory, reader }: {
    readonly directory: string;
    readonly reader: ReturnType<typeof createFolderReader>;
  },
): Promise<BuildHost> {
  const { name, version, reason } = found;
  const own = await versionOnPath(host, { name, directory });
  if (own !== undefined && fits(own, version)) {
    host.say("install", "info", `Using ${name} ${own} from PATH (${reason})`);
    return host;
  }
  const wanted = version ?? await usualVersion(reader, found);
  host.say(
    "install",
    "info",
    own === undefined
      ? `Installing ${name} ${wanted} (${reason}), because it is not on PATH`
      : `Downloading ${name} ${wanted} (${reason}): PATH has ${own}`,
  );
  const fetched = await fetchManager(host, { name, version: wanted, hash: found.hash, directory });
  const from = fetched.isNew ? "from the npm registry" : "from the cache";
  host.say("install", "info", `Using ${name} ${fetched.version} ${from} (${reason})`);
  return inEnvironment(host, withFolderFirst(host.env, fetched.bin));
}

/** Returns true if the machine's npm is sufficient, which is the case for most projects. */
const isUsualNpm = ({ name, version }: FoundManager) => name === "npm" && version === undefined;

/**
 * Returns the host with the project's package manager first in its search path. If no command uses
 * the package manager, a failed download is only a warning.
 *
 * @throws {BuildError} if package.json declares the package manager in an unknown form, or the
 * package manager cannot be fetched.
 */
export async function provideManager(host: BuildHost, facts: ManagerFacts): Promise<BuildHost> {
  const { detected: { manager, installsIn }, commands } = facts;
  if (manager === undefined) return host;
  if (manager.problem !== undefined) throw new BuildError("build_failed", manager.problem);
  warnOf(host, manager);
  const equipped = inEnvironment(host, { ...host.env, ...managerVariables(host.env) });
  if (isUsualNpm(manager)) return equipped;
  const isNamed = commands.some((command) => new RegExp(`\\b${manager.name}x?\\b`).test(command));
  const directory = join(facts.directory, installsIn);
  const reader = createFolderReader(facts.directory);
  try {
    return await provide(equipped, manager, { directory, reader });
  } catch (error) {
    if (isNamed || !(error instanceof BuildError)) throw error;
    host.say("install", "warn", error.message);
    return equipped;
  }
}
