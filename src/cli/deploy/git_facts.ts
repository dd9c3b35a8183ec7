/**
 * What git knows about the folder that is deployed.
 *
 * @module
 */
import { branchName } from "../../contract/mod.ts";
import { runProgram } from "../../lib/spawn_program.ts";

/** Everything is optional: git may be missing, or the folder no checkout. */
export interface GitFacts {
  readonly branch?: string;
  readonly commitSha?: string;
  readonly author?: string;
  readonly message?: string;
}

/** Lengths that the platform accepts (spec: trigger request body). */
const MAX_MESSAGE = 500;
const MAX_AUTHOR = 200;

async function git(directory: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { success, stdout } = await runProgram("git", {
      args: ["-C", directory, ...args],
      env: { GIT_OPTIONAL_LOCKS: "0" },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    });
    return success ? new TextDecoder().decode(stdout).trimEnd() : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Reads the answers of git; whatever the platform would refuse is left out. */
export function parseGitFacts(
  branch: string | undefined,
  log: string | undefined,
): GitFacts {
  const [commitSha, author, message] = (log ?? "").split("\n");
  return {
    ...(branch !== undefined && branchName.safeParse(branch).success ? { branch } : {}),
    ...(commitSha !== undefined && /^[0-9a-f]{40}$/.test(commitSha) ? { commitSha } : {}),
    ...(author ? { author: author.slice(0, MAX_AUTHOR) } : {}),
    ...(message ? { message: message.slice(0, MAX_MESSAGE) } : {}),
  };
}

/** Asks git for branch, commit, author and subject of what is checked out. */
export async function readGitFacts(directory: string): Promise<GitFacts> {
  const [branch, log] = await Promise.all([
    git(directory, ["symbolic-ref", "--quiet", "--short", "HEAD"]),
    git(directory, ["log", "-1", "--no-show-signature", "--format=%H%n%an%n%s"]),
  ]);
  return parseGitFacts(branch, log);
}
