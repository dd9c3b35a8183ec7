/** @module Reads information about the deployed folder from git. */
import { branchName } from "../../contract/projects.ts";
import type { Environment } from "../session/global_flags.ts";
import { runProgram } from "../../lib/spawn_program.ts";

/**
 * Information from git. All fields are optional, because git can be missing, and the folder may not
 * be a checkout.
 */
export interface GitFacts {
  readonly branch?: string;
  readonly commitSha?: string;
  readonly author?: string;
  readonly message?: string;
}

/** Maximum lengths that the platform accepts, in characters. */
const MAX_MESSAGE = 500;
const MAX_AUTHOR = 200;

/** Runs git in a folder and returns its output, or `undefined` if git fails or is missing. */
export async function git(directory: string, args: readonly string[]): Promise<string | undefined> {
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

/** Parses git's output, and leaves out values that the platform would reject. */
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

/** Variables that build services set to the name of the checked-out branch. */
const BRANCH_VARIABLES: readonly string[] = [
  "GITHUB_HEAD_REF",
  "GITHUB_REF_NAME",
  "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
  "CI_COMMIT_REF_NAME",
  "BITBUCKET_BRANCH",
  "CIRCLE_BRANCH",
  "BUILDKITE_BRANCH",
  "DRONE_SOURCE_BRANCH",
  "CI_COMMIT_SOURCE_BRANCH",
  "TRAVIS_PULL_REQUEST_BRANCH",
  "TRAVIS_BRANCH",
  "BUILD_SOURCEBRANCHNAME",
  "CHANGE_BRANCH",
  "BRANCH_NAME",
];

/** Number of characters of the commit hash in a branch name derived from the commit. */
const SHORT_SHA = 7;

/**
 * Returns the branch of a detached checkout: the name set by the build service, or a name derived
 * from the commit, which cannot be mistaken for a branch (docs/decisions/cli.md).
 */
function detachedBranch(commitSha: string, env: Environment): string {
  const named = BRANCH_VARIABLES.map((name) => env[name])
    .find((value) => value !== undefined && branchName.safeParse(value).success);
  return named ?? `commit-${commitSha.slice(0, SHORT_SHA)}`;
}

/**
 * Reads the branch, commit, author and subject of a checkout from git. If HEAD is detached, `env`
 * can name the branch.
 */
export async function readGitFacts(directory: string, env: Environment): Promise<GitFacts> {
  const [branch, log] = await Promise.all([
    git(directory, ["symbolic-ref", "--quiet", "--short", "HEAD"]),
    git(directory, ["log", "-1", "--no-show-signature", "--format=%H%n%an%n%s"]),
  ]);
  const facts = parseGitFacts(branch, log);
  if (branch !== undefined || facts.commitSha === undefined) return facts;
  return { ...facts, branch: detachedBranch(facts.commitSha, env) };
}
