/**
 * What a mirror knows about branches and commits. Nothing here talks to the
 * network.
 *
 * @module
 */
import { branchName } from "../../contract/mod.ts";
import type { Resolved } from "../builds/types.ts";
import type { GitResult } from "./git_process.ts";

/** Runs git on the mirror. */
export type MirrorGit = (
  args: readonly string[],
  options?: { readonly input?: string },
) => Promise<GitResult>;

/** Spec, "Trigger request body": hexadecimal, 7 to 40 digits. */
const COMMIT_SHA = /^[0-9a-f]{7,40}$/i;

const FULL_LENGTH = 40;

/** Candidates of a short SHA that are named. */
const MAX_CANDIDATES = 10;

/** Lengths that a trigger's own message and author may have (spec, "Limits"). */
const MAX_MESSAGE = 500;
const MAX_AUTHOR = 200;

/** True for a name that git takes for a branch, and for nothing else. */
export function isBranchName(branch: string): boolean {
  return branchName.safeParse(branch).success;
}

async function branchHead(git: MirrorGit, branch: string): Promise<string | undefined> {
  const ref = `refs/heads/${branch}^{commit}`;
  const { code, stdout } = await git([
    "rev-parse",
    "--verify",
    "--quiet",
    "--end-of-options",
    ref,
  ]);
  return code === 0 ? stdout.trim() : undefined;
}

/** The commits that begin with some digits; other objects that do so do not count. */
async function commitsFrom(git: MirrorGit, digits: string): Promise<string[]> {
  const named = digits.length === FULL_LENGTH
    ? digits
    : (await git(["rev-parse", `--disambiguate=${digits}`])).stdout;
  const { stdout } = await git(["cat-file", "--batch-check=%(objecttype) %(objectname)"], {
    input: `${named.trim()}\n`,
  });
  return stdout.split("\n").flatMap((line) => line.startsWith("commit ") ? [line.slice(7)] : []);
}

async function facts(git: MirrorGit, sha: string): Promise<Resolved> {
  const { stdout } = await git([
    "log",
    "-1",
    "--no-show-signature",
    "--encoding=UTF-8",
    "--format=%an%x00%s",
    "--end-of-options",
    sha,
  ]);
  const [author = "", message = ""] = stdout.trimEnd().split("\0");
  return {
    type: "found",
    sha,
    message: message.slice(0, MAX_MESSAGE).toWellFormed(),
    author: author.slice(0, MAX_AUTHOR).toWellFormed(),
  };
}

/** Finds the one commit that is meant, and judges that it is on the branch. */
export async function inspectCommit(
  git: MirrorGit,
  wanted: { readonly branch: string; readonly commitSha: string },
): Promise<Resolved> {
  if (!isBranchName(wanted.branch)) return { type: "branch_not_found" };
  if (!COMMIT_SHA.test(wanted.commitSha)) return { type: "commit_not_found" };
  const head = await branchHead(git, wanted.branch);
  if (head === undefined) return { type: "branch_not_found" };
  const commits = await commitsFrom(git, wanted.commitSha.toLowerCase());
  const [sha] = commits;
  if (sha === undefined) return { type: "commit_not_found" };
  if (commits.length > 1) {
    return { type: "ambiguous", candidates: commits.slice(0, MAX_CANDIDATES) };
  }
  if (sha !== head) {
    const { code } = await git(["merge-base", "--is-ancestor", "--end-of-options", sha, head]);
    if (code !== 0) return { type: "not_on_branch", sha };
  }
  return await facts(git, sha);
}
