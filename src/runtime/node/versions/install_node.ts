/** @module Fetches a version of Node as an npm package that contains the executable. */
import { dirname, join } from "node:path";
import { type Environment, networkVariables } from "../../../lib/network_variables.ts";
import { runProgram } from "../../../lib/spawn_program.ts";

/** Maximum time that fetching may take, in milliseconds. */
const FETCH_MS = 5 * 60 * 1000;

/** Time before npm retries a registry request, in milliseconds. */
const RETRY_MS = { least: 1000, most: 5000 } as const;

/** Maximum number of characters of npm's output to show in an error. */
const MAX_OUTPUT = 500;

/** Folder for everything that npm writes. Only the binary is kept. */
const FETCHED = "fetched";

const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: "x64", aarch64: "arm64" };

/** Returns the npm package with Node for this machine. */
const packageName = (): string =>
  `node-${Deno.build.os}-${ARCHITECTURES[Deno.build.arch] ?? Deno.build.arch}`;

/** Returns the binary's path below the folder of an installed version. */
export const binaryIn = (folder: string): string => join(folder, "bin", "node");

export interface InstallOptions {
  /** A version, or the first numbers of a version. */
  readonly version: string;
  /** The empty folder to install into. */
  readonly folder: string;
  /** The platform's own environment. */
  readonly env: Environment;
}

/**
 * An error for a version of Node that servers cannot run on. The message is for the person who
 * deploys the server.
 */
export class NodeVersionError extends Error {
  override readonly name: string = "NodeVersionError";
}

/** An error for a version of Node that could not be fetched. */
export class NodeInstallError extends NodeVersionError {
  override readonly name = "NodeInstallError";
  constructor(version: string, reason: string) {
    super(
      `Cannot install Node ${version} (npm package ${packageName()}): ${reason}. ` +
        `Install Node ${version} on the platform's search path, or allow access to the npm registry`,
    );
  }
}

/** Returns npm's error without its prefixes and log path. */
function reasonOf(output: string): string {
  const lines = output.split("\n").map((line) =>
    line.replace(/^npm (error|ERR!) ?(code \w+$|notarget|404)? ?/, "").trim()
  )
    .filter((line) =>
      line !== "" && !/complete log of this run/i.test(line) && !line.startsWith("/")
    );
  return [...new Set(lines)].join(" ").replace(/ In most cases .*/, "").slice(0, MAX_OUTPUT)
    .replace(/\.$/, "");
}

async function runNpm(
  { version, env }: InstallOptions,
  fetched: string,
): Promise<Deno.CommandOutput> {
  const { HOME, PATH = "" } = env;
  try {
    return await runProgram("npm", {
      args: [
        "install",
        "--no-save",
        "--no-package-lock",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
        // Makes npm report a missing network within seconds.
        `--fetch-retry-mintimeout=${RETRY_MS.least}`,
        `--fetch-retry-maxtimeout=${RETRY_MS.most}`,
        `--cache=${join(fetched, "cache")}`,
        `--prefix=${fetched}`,
        `${packageName()}@${version}`,
      ],
      cwd: fetched,
      env: { ...networkVariables(env), PATH, ...(HOME === undefined ? {} : { HOME }) },
      clearEnv: true,
      stdin: "null",
      signal: AbortSignal.timeout(FETCH_MS),
    });
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound ? "npm is missing" : String(error);
    throw new NodeInstallError(version, reason);
  }
}

/**
 * Installs a version of Node into a folder. The package's scripts do not run.
 *
 * @throws NodeInstallError with npm's reason
 */
export async function installNode(options: InstallOptions): Promise<void> {
  const { version, folder } = options;
  const fetched = join(folder, FETCHED);
  await Deno.mkdir(fetched, { recursive: true });
  const { success, code, signal, stderr } = await runNpm(options, fetched);
  if (signal !== null) {
    throw new NodeInstallError(version, `npm was stopped after ${FETCH_MS / 1000} s`);
  }
  if (!success) {
    const reason = reasonOf(new TextDecoder().decode(stderr));
    throw new NodeInstallError(version, reason || `npm exited with code ${code}`);
  }
  await Deno.mkdir(dirname(binaryIn(folder)));
  await Deno.rename(join(fetched, "node_modules", packageName(), "bin", "node"), binaryIn(folder));
  await Deno.remove(fetched, { recursive: true });
}
