/** Looks up branches and commits in a mirror. Nothing here uses the network. @module */
import type { BranchHeads } from "./branch_heads.ts";
import type { Resolved, WantedCommit } from "./git_service.ts";
import type { GitResult } from "./git_process.ts";
import { isBranchName, readShown } from "./shown_commit.ts";

export type MirrorGit = (
  args: readonly string[],
  options?: { readonly input?: string },
) => Promise<GitResult>;

/** Spec, "Trigger request body": hexadecimal, 7 to 40 digits. */
const COMMIT_SHA = /^[0-9a-f]{7,40}$/i;

const FULL_LENGTH = 40;

const MAX_CANDIDATES = 10;

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

/** Finds the commits whose SHA starts with the given digits. Ignores other objects. */
async function commitsFrom(git: MirrorGit, digits: string): Promise<string[]> {
  const named = digits.length === FULL_LENGTH
    ? digits
    : (await git(["rev-parse", `--disambiguate=${digits}`])).stdout;
  const { stdout } = await git(["cat-file", "--batch-check=%(objecttype) %(objectname)"], {
    input: `${named.trim()}\n`,
  });
  return stdout.split("\n").flatMap((line) => line.startsWith("commit ") ? [line.slice(7)] : []);
}

/** Arguments that print commits, one per line: SHA, author and first line of the message. */
const SHOW = [
  "log",
  "--no-walk=unsorted",
  "--no-show-signature",
  "--encoding=UTF-8",
  "--format=%H%x00%an%x00%s",
  "--end-of-options",
];

const fieldsOf = (line: string): string[] => line.split("\0");

/**
 * Looks up a commit by its full SHA, and a branch's head, in one call. Returns `undefined` if that
 * fails.
 */
async function lookAtBoth(git: MirrorGit, branch: string, sha: string) {
  const { code, stdout } = await git([...SHOW, `refs/heads/${branch}^{commit}`, sha]);
  const shown = stdout.split("\n").filter((line) => line !== "").map(fieldsOf)
    .map(readShown);
  const [head, commit = head] = shown;
  return code === 0 && head !== undefined && commit?.sha === sha
    ? { head: head.sha, commit }
    : undefined;
}

async function isIn(git: MirrorGit, sha: string, head: string): Promise<boolean> {
  if (sha === head) return true;
  const { code } = await git(["merge-base", "--is-ancestor", "--end-of-options", sha, head]);
  return code === 0;
}

async function showCommit(git: MirrorGit, sha: string): Promise<Resolved> {
  const { stdout } = await git([...SHOW, sha]);
  return readShown(fieldsOf(stdout.trimEnd()));
}

/** Finds the commit on the branch; by default, the branch's head. */
export async function inspectCommit(
  { git, heads }: { readonly git: MirrorGit; readonly heads: BranchHeads },
  wanted: WantedCommit,
): Promise<Resolved> {
  if (!isBranchName(wanted.branch)) return { type: "branch_not_found" };
  if (wanted.commitSha === undefined) {
    const head = await branchHead(git, wanted.branch);
    return head === undefined ? { type: "branch_not_found" } : await showCommit(git, head);
  }
  if (!COMMIT_SHA.test(wanted.commitSha)) return { type: "commit_not_found" };
  const digits = wanted.commitSha.toLowerCase();
  const latest = await heads.find(wanted.branch);
  if (latest?.sha === digits) return latest;
  const both = digits.length === FULL_LENGTH
    ? await lookAtBoth(git, wanted.branch, digits)
    : undefined;
  if (both !== undefined) {
    return await isIn(git, digits, both.head)
      ? both.commit
      : { type: "not_on_branch", sha: digits };
  }
  const head = await branchHead(git, wanted.branch);
  if (head === undefined) return { type: "branch_not_found" };
  const commits = await commitsFrom(git, digits);
  const [sha] = commits;
  if (sha === undefined) return { type: "commit_not_found" };
  if (commits.length > 1) {
    return { type: "ambiguous", candidates: commits.slice(0, MAX_CANDIDATES) };
  }
  if (!await isIn(git, sha, head)) return { type: "not_on_branch", sha };
  return await showCommit(git, sha);
}
