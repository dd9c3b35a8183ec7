/** @module Finds recorded requests that other rules would handle differently. Pure. */
import {
  type CompiledRules,
  createFacts,
  type Decision,
  evaluateRules,
  normalizePath,
  type RuntimeRule,
  summarize,
} from "../../rules/mod.ts";
import type { ClientFacts } from "../visit/client_facts.ts";

/** A logged request. It has no query, and only one header. */
export interface RecordedRequest {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly ip: string;
  readonly userAgent: string | null;
}

/** Requests whose responses would differ in the same way. */
export interface ChangedGroup {
  readonly count: number;
  /** The effect of the current rules on the first request. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Examples of the requests, such as `GET /admin`. */
  readonly examples: readonly string[];
}

export interface TrialReport {
  readonly requests: number;
  readonly changed: number;
  /** Largest first. */
  readonly groups: readonly ChangedGroup[];
  /** Facts about requests that the trial cannot evaluate, because the log does not contain them. */
  readonly limits: readonly string[];
}

/** Maximum number of groups on the page, and maximum number of examples per group. */
const MAX_GROUPS = 20;
const MAX_EXAMPLES = 3;

/** The trial has no access to the site's files and does not count requests. */
const HOOKS = { fileExists: () => false, rateLimited: () => false };

/** Returns the visible outcome of a decision, without the rules that led to it. */
const effectOf = (decision: Decision): string =>
  JSON.stringify(
    decision,
    (name, value) => ["rule", "hits", "matched"].includes(name) ? undefined : value,
  );

/**
 * Returns a key for a kind of response and the rules that led to it. The key is the same for all
 * paths that match a pattern.
 */
function kindOf({ terminal, rewrite, cache, pipeline, headerEdits }: Decision): string {
  const named = [rewrite, cache, pipeline].map((each) => each?.rule.id ?? "");
  const answer = terminal.type === "none" ? "" : `${terminal.type} ${terminal.rule.id}`;
  return JSON.stringify([answer, named, headerEdits]);
}

function linesOf(decision: Decision): readonly string[] {
  const { headerEdits } = decision;
  const edits = headerEdits.map((edit) =>
    edit.type === "set" ? `Sets ${edit.name}: ${edit.value}` : `Removes ${edit.name}`
  );
  return [...new Set([...summarize(decision), ...edits])];
}

const MISSING = [
  ["query", "query parameters"],
  ["headers", "headers other than User-Agent"],
  ["cookies", "cookies"],
] as const;

/** Lists the facts that the rules' conditions and actions need but the log does not contain. */
function limitsOf(rules: readonly RuntimeRule[]): string[] {
  const leaves = rules.filter(({ enabled }) => enabled).flatMap(({ condition }) => {
    const { any = [], not, ...leaf } = condition;
    return [leaf, ...any, ...(not === undefined ? [] : [not])];
  });
  const missing = MISSING.filter(([field]) => leaves.some((leaf) => leaf[field] !== undefined));
  const texts = missing.map(([, words]) => `The log has no ${words}, so they count as missing`);
  if (rules.some(({ action }) => action.type === "rate_limit")) {
    texts.push("Rate limits are not counted");
  }
  if (rules.some(({ action }) => "ifNoFile" in action && action.ifNoFile === true)) {
    texts.push("Static files are ignored: rules with ifNoFile always apply");
  }
  return texts;
}

/** Evaluates each request with both rule sets. */
export function tryRules(
  requests: readonly RecordedRequest[],
  { before, after, clientFacts }: {
    readonly before: CompiledRules;
    readonly after: CompiledRules;
    clientFacts(client: Pick<RecordedRequest, "ip" | "userAgent">): ClientFacts;
  },
): TrialReport {
  const groups = new Map<
    string,
    { count: number; examples: string[] } & Omit<ChangedGroup, "count" | "examples">
  >();
  let changed = 0;
  let judged = 0;
  for (const { method, host, path: rawPath, ip, userAgent } of requests) {
    const path = normalizePath(rawPath);
    if (typeof path !== "string") continue;
    judged++;
    const { country, asn, device } = clientFacts({ ip, userAgent });
    const facts = createFacts({
      method,
      host,
      path,
      rawQuery: "",
      header: (name) => name === "user-agent" ? userAgent : undefined,
      ip,
      country: () => country,
      asn: () => asn,
      device: () => device,
    });
    const [old, next] = [
      evaluateRules(before, facts, HOOKS),
      evaluateRules(after, facts, HOOKS),
    ];
    if (effectOf(old) === effectOf(next)) continue;
    changed++;
    const key = `${kindOf(old)} ${kindOf(next)}`;
    const group = groups.get(key) ??
      { count: 0, before: linesOf(old), after: linesOf(next), examples: [] };
    groups.set(key, group);
    group.count++;
    const example = `${method} ${rawPath}`;
    if (group.examples.length < MAX_EXAMPLES && !group.examples.includes(example)) {
      group.examples.push(example);
    }
  }
  return {
    requests: judged,
    changed,
    groups: [...groups.values()].sort((one, other) => other.count - one.count)
      .slice(0, MAX_GROUPS),
    limits: limitsOf([...before.source.rules, ...after.source.rules]),
  };
}
