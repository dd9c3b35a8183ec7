/** Translates a git failure into a message that is safe to show. Pure. @module */
import type { GitResult } from "./git_process.ts";

export type GitFailure =
  | { readonly type: "unauthorized" }
  | { readonly type: "unreachable"; readonly reason: string };

/** Matches the output of git, curl and ssh when access is denied or the repository is hidden. */
const NOT_LET_IN = new RegExp(
  [
    "Authentication failed",
    "could not read (?:Username|Password)",
    "terminal prompts disabled",
    "Permission denied",
    "Repository not found",
    "HTTP 40[134]",
    "returned error: 40[134]",
    "repository '.*' not found",
    "Host key verification failed",
  ].join("|"),
  "i",
);

const MAX_REASON = 300;

// deno-lint-ignore no-control-regex -- these must not reach a terminal
const CONTROL = /\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x1f\x7f-\x9f]/g;

/** Joins the last lines that git printed into one line that is safe to show. */
export function lastWords(stderr: string): string {
  const lines = stderr.split(/[\r\n]+/)
    .map((line) => line.replace(CONTROL, "").replace(/^(?:fatal|error|remote): /, "").trim())
    .filter((line) => line !== "" && !/^(?:warning|hint):/.test(line));
  const reason = lines.slice(-2).join("; ");
  return reason.length > MAX_REASON ? `${reason.slice(0, MAX_REASON)}…` : reason;
}

/** Classifies a failed git command on a repository. */
export function judgeFailure(result: GitResult): GitFailure {
  if (result.timedOut) {
    return { type: "unreachable", reason: "The repository did not respond in time" };
  }
  if (NOT_LET_IN.test(result.stderr)) return { type: "unauthorized" };
  if (/returned error: 30\d/.test(result.stderr)) {
    return {
      type: "unreachable",
      reason: "The repository has moved: update the git URL to the redirect target",
    };
  }
  const words = lastWords(result.stderr);
  return {
    type: "unreachable",
    reason: words === "" ? `git exited with code ${result.code}` : words,
  };
}
