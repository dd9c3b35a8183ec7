import { definitionOf } from "../actions/actions.ts";
import type { RuntimeRule } from "../rule_set/types.ts";
import type { CacheDecision, Decision, Hit } from "../decision.ts";
import {
  cachePositionOf,
  failureOf,
  isHandleStep,
  type PipelineStep,
  runningOrder,
  runsBehindCache,
} from "../pipeline_steps.ts";

const HITS: Readonly<Record<Hit["type"], string>> = {
  log: "Logged",
  deny: "Denied",
  would_deny: "Would be denied",
  rate_limit: "Rate limited",
  would_rate_limit: "Would be rate limited",
};

function answerLine({ terminal, rewrite, pipeline }: Decision): string {
  switch (terminal.type) {
    case "deny":
      return `Responds with ${terminal.status} (rule "${terminal.rule.id}")`;
    case "rate_limited":
      return `Responds with 429 (rule "${terminal.rule.id}")`;
    case "redirect":
      return `Redirects with ${terminal.status} to ${terminal.location} (rule "${terminal.rule.id}")`;
    case "none":
      return rewrite === undefined && pipeline === undefined
        ? "Continues to the routes unchanged"
        : "Continues to the routes";
  }
}

/**
 * Returns the line about caching. Files are served from memory, so the cache contains only
 * responses from functions and upstreams.
 */
function cacheLine(cache: CacheDecision, { rewrite, pipeline }: Decision): string {
  const by = `(rule "${cache.rule.id}")`;
  if (cache.type === "bypass") return `Bypasses the cache ${by}`;
  const isDynamic = rewrite?.type === "external" ||
    (pipeline !== undefined && runsBehindCache(pipeline.steps));
  if (!isDynamic) return `Is not cached ${by}: the site's own files are already in memory`;
  const { ttlSeconds, swrSeconds, vary } = cache;
  const stale = swrSeconds === 0 ? "" : `, served stale for ${swrSeconds} more`;
  const apart = vary.length === 0 ? "" : `, varies by ${vary.join(", ")}`;
  return `Is cached for ${ttlSeconds} seconds${stale}${apart} ${by}`;
}

function stepLine(step: PipelineStep): string {
  if (isHandleStep(step)) {
    return step.handle === "origin"
      ? "  continues to the origin"
      : `  function ${step.handle} responds`;
  }
  const named = step.as === undefined ? step.use : `${step.use} as ${step.as}`;
  if (step.mode === "observe") return `  observe step ${named}: delays nothing`;
  const closed = failureOf(step) === "closed";
  const failure = closed ? "a failure ends the request" : "a failure is ignored";
  return `  ${step.mode} step ${named}, ${cachePositionOf(step)} the cache: ${failure}`;
}

/** Describes effects of rules that the decision does not contain, such as counting a request. */
export function actionLines(rules: readonly RuntimeRule[]): readonly string[] {
  return rules.flatMap(({ id, action }) => {
    const line = definitionOf(action).explain?.(action);
    return line === undefined ? [] : [`${line} (rule "${id}")`];
  });
}

/** Writes one line for the response, and one line for each other effect of the rules. */
export function summarize(decision: Decision): readonly string[] {
  const { rewrite, cache, pipeline } = decision;
  const lines = [answerLine(decision)];
  if (rewrite?.type === "internal") {
    const query = rewrite.query === "" ? "" : `?${rewrite.query}`;
    lines.push(`Is rewritten to ${rewrite.path}${query} (rule "${rewrite.rule.id}")`);
  } else if (rewrite !== undefined) {
    lines.push(`Is fetched from ${rewrite.url} (rule "${rewrite.rule.id}")`);
  }
  if (cache !== undefined) lines.push(cacheLine(cache, decision));
  if (pipeline !== undefined) {
    lines.push(
      `Runs the pipeline of rule "${pipeline.rule.id}":`,
      ...runningOrder(pipeline.steps).map(stepLine),
    );
  }
  for (const edit of decision.headerEdits) {
    lines.push(edit.type === "set" ? `Sets ${edit.name}: ${edit.value}` : `Removes ${edit.name}`);
  }
  for (const { type, rule } of decision.hits) {
    const shadow = type.startsWith("would_") ? ", in shadow mode" : "";
    lines.push(`${HITS[type]} (rule "${rule.id}"${shadow})`);
  }
  return lines;
}
