/** @module Decides whether a commit needs a build, based on a command or on the changed files. */
import { dirname, join, posix, relative, sep } from "node:path";
import { childVariables } from "../../lib/child_variables.ts";
import { BuildError } from "../build_error.ts";
import { runCommand } from "../run_command.ts";
import type { BuildHost } from "../types.ts";
import { neededBy, readMembers } from "../workspace/members.ts";
import type { BuildJobFile } from "./wire.ts";

/**
 * Matches documentation files. Outside a project's folder, they do not affect the project's build.
 */
const FOR_PEOPLE = /\.md$/i;

/** The parts of a project, as paths in its repository. */
interface ProjectParts {
  /** The project's folder. */
  readonly root: string;
  /** Folders of the workspace packages that the project needs. */
  readonly needed: readonly string[];
}

/**
 * Returns the first changed file that can affect the project: a file in the project, in a package
 * that it needs, or directly in a folder above it, such as a lock file. Pure.
 */
export function firstRelevant(
  files: readonly string[],
  { root, needed }: ProjectParts,
): string | undefined {
  const own = [root, ...needed].map((folder) => `${folder}/`);
  return files.find((file) => {
    if (own.some((folder) => file.startsWith(folder))) return true;
    const folder = posix.dirname(file);
    const isAbove = folder === "." || `${root}/`.startsWith(`${folder}/`);
    return isAbove && !FOR_PEOPLE.test(file);
  });
}

const slashed = (path: string): string => path.replaceAll(sep, "/");

/** Returns the folders of the workspace packages that a project needs. */
async function neededFolders(repository: string, directory: string): Promise<readonly string[]> {
  for (let root = dirname(directory);; root = dirname(root)) {
    const members = await readMembers(root);
    if (members?.some(({ path }) => join(root, path) === directory) === true) {
      return neededBy(members, slashed(relative(root, directory)))
        .map(({ path }) => slashed(relative(repository, join(root, path))));
    }
    if (root === repository || root === dirname(root)) return [];
  }
}

interface SkipFacts {
  /** Absolute path of the project's folder. */
  readonly directory: string;
  readonly job: Pick<BuildJobFile, "repository" | "rootDirectory" | "since" | "variables">;
  /** The command in `svc.toml`. */
  readonly ignore: string | undefined;
  /** Folder for temporary files. */
  readonly scratch: string;
}

/**
 * Runs the command from `svc.toml`. Returns true if the command reports that there is nothing to
 * build.
 */
async function asksToSkip(
  host: BuildHost,
  { directory, job, ignore: command = "", scratch }: SkipFacts,
): Promise<boolean> {
  const { commitSha = "", files = [] } = job.since ?? {};
  const list = join(scratch, "changed-files");
  await Deno.writeTextFile(list, files.map((file) => `${file}\n`).join(""));
  const { env } = childVariables({}, job.variables, []);
  const variables = { ...env, SVC_PREVIOUS_COMMIT_SHA: commitSha, SVC_CHANGED_FILES: list };
  try {
    await runCommand(host, { phase: "build", command, directory, variables });
    return true;
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    host.say("build", "info", `${command} requests a build (exit code other than 0)`);
    return false;
  }
}

/**
 * Explains why there is nothing to build, or returns `undefined` if there is something to build.
 */
export async function decideSkip(host: BuildHost, facts: SkipFacts): Promise<string | undefined> {
  const { directory, job: { repository, rootDirectory, since }, ignore } = facts;
  if (since === null) return undefined;
  const short = since.commitSha.slice(0, 7);
  if (ignore !== undefined) {
    return await asksToSkip(host, facts)
      ? `Skipped: \`${ignore}\` (build.ignore in svc.toml) found no changes since ${short}`
      : undefined;
  }
  // An empty commit is a deliberate request for a build.
  if (rootDirectory === null || since.files.length === 0) return undefined;
  const [real, folder] = await Promise.all([Deno.realPath(repository), Deno.realPath(directory)]);
  const root = slashed(relative(real, folder));
  if (root === "") return undefined;
  const needed = await neededFolders(real, folder);
  const changed = firstRelevant(since.files, { root, needed });
  if (changed !== undefined) {
    host.say("build", "info", `Changed since ${short}: ${changed}`);
    return undefined;
  }
  const parts = [root, ...needed].join(", ");
  return `Skipped: nothing changed since ${short} in ${parts}, or in the files above it`;
}
