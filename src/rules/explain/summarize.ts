/**
 * A decision in words.
 *
 * @module
 */
import type { Decision, Hit } from "../evaluate/decision.ts";

const HITS: Readonly<Record<Hit["type"], string>> = {
  log: "Logged",
  deny: "Denied",
  would_deny: "Would be denied (shadow)",
  rate_limit: "Rate limited",
  would_rate_limit: "Would be rate limited (shadow)",
};

function answerLine({ terminal, rewrite, pipeline }: Decision): string {
  switch (terminal.type) {
    case "deny":
      return `Answers ${terminal.status} by rule "${terminal.rule.id}"`;
    case "rate_limited":
      return `Answers 429 by rule "${terminal.rule.id}"`;
    case "redirect":
      return `Answers ${terminal.status} to ${terminal.location} by rule "${terminal.rule.id}"`;
    case "none":
      return rewrite === undefined && pipeline === undefined
        ? "Goes on to the routes unchanged"
        : "Goes on to the routes";
  }
}

/** One line for the answer, and one for each other thing that the rules do. */
export function summarize(decision: Decision): readonly string[] {
  const { rewrite, cache, pipeline } = decision;
  const lines = [answerLine(decision)];
  if (rewrite?.type === "internal") {
    const query = rewrite.query === "" ? "" : `?${rewrite.query}`;
    lines.push(`Is rewritten to ${rewrite.path}${query} by rule "${rewrite.rule.id}"`);
  } else if (rewrite !== undefined) {
    lines.push(`Is fetched from ${rewrite.url} by rule "${rewrite.rule.id}"`);
  }
  if (cache?.type === "cache") {
    lines.push(`Is cached for ${cache.ttlSeconds} seconds by rule "${cache.rule.id}"`);
  } else if (cache !== undefined) {
    lines.push(`Bypasses the cache by rule "${cache.rule.id}"`);
  }
  if (pipeline !== undefined) {
    const steps = pipeline.steps.map((step) => "use" in step ? step.use : `[${step.handle}]`);
    lines.push(`Runs the pipeline ${steps.join(", ")} by rule "${pipeline.rule.id}"`);
  }
  for (const edit of decision.headerEdits) {
    lines.push(edit.type === "set" ? `Sets ${edit.name}: ${edit.value}` : `Removes ${edit.name}`);
  }
  for (const hit of decision.hits) lines.push(`${HITS[hit.type]} by rule "${hit.rule.id}"`);
  return lines;
}
