/**
 * Summaries of operations as entries of the audit log. Pure.
 *
 * @module
 */
const IRREGULAR: Readonly<Record<string, string>> = {
  Build: "Built",
  Cancel: "Cancelled",
  Copy: "Copied",
  Deny: "Denied",
  Get: "Got",
  Leave: "Left",
  Reset: "Reset",
  Run: "Ran",
  Send: "Sent",
  Set: "Set",
  Stop: "Stopped",
  Unlink: "Unlinked",
  Withdraw: "Withdrew",
};

/** The first sentence of a summary, in the past: "Create a key. …" becomes "Created a key". */
export function pastTense(summary: string): string {
  const [sentence = ""] = summary.split(". ");
  const [verb = "", ...rest] = sentence.split(" ");
  const past = IRREGULAR[verb] ?? (verb.endsWith("e") ? `${verb}d` : `${verb}ed`);
  return [past, ...rest].join(" ");
}
