/** @module Converts operation summaries to audit log entries. Pure. */
const IRREGULAR: Readonly<Record<string, string>> = {
  Build: "Built",
  Cancel: "Cancelled",
  Commit: "Committed",
  Copy: "Copied",
  Deny: "Denied",
  Get: "Got",
  Leave: "Left",
  Resend: "Resent",
  Reset: "Reset",
  Run: "Ran",
  Send: "Sent",
  Set: "Set",
  Stop: "Stopped",
  Unlink: "Unlinked",
  Withdraw: "Withdrew",
};

/**
 * Matches the second verb in a summary, such as "show" in "Send a sample event, and show the
 * result".
 */
const SECOND_VERB =
  /(?<= and | or |proven, )(activate|build|deploy|handle|refuse|report|revoke|show|sign|stop|turn|use|wait)\b/g;

function pastOf(verb: string): string {
  return IRREGULAR[verb] ?? (verb.endsWith("e") ? `${verb}d` : `${verb}ed`);
}

/**
 * Puts a summary's first sentence into the past tense and omits details after a colon: "Create a
 * key. …" becomes "Created a key".
 */
export function pastTense(summary: string): string {
  const [sentence = ""] = summary.split(/[.:] /);
  const [verb = "", ...rest] = sentence.split(" ");
  const others = rest.join(" ").replace(
    SECOND_VERB,
    (second) => pastOf(`${second[0]!.toUpperCase()}${second.slice(1)}`).toLowerCase(),
  );
  return `${pastOf(verb)} ${others}`;
}
