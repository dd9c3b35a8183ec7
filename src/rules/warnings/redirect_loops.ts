/**
 * @module Warns about redirects that point to themselves or form a loop. The check does not guess:
 * it follows a sample request for each redirect through the compiled rules, as a browser would.
 * Nothing is reported if a file or another host might respond instead.
 */
import type { Pace, Steps } from "../../lib/next_turn.ts";
import { sortInSteps } from "../../lib/sort_in_steps.ts";
import { type CompiledRules, compileInSteps } from "../compile/compile_rules.ts";
import { evaluateRules } from "../evaluate/evaluate_rules.ts";
import { factsFromRequest } from "../request/facts.ts";
import { SCHEMA_VERSION } from "../rule_set/types.ts";
import type { PlacedRule } from "../validate/gates.ts";
import type { Terminal } from "../decision.ts";
import { type Finding, joinNames, warningAt } from "../finding.ts";
import { countValues, type FindingSteps, LOOK_COST } from "../work.ts";
import { type SampleRequest, sampleRequest, UNNAMED_HOST } from "./sample_request.ts";

/** Statuses that clients follow (WHATWG Fetch, 2.2.3). */
const FOLLOWED: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Maximum number of redirects that browsers follow (WHATWG Fetch 4.4). */
const MAX_HOPS = 20;

/** Maximum number of conditions to test over all hops of all redirects. */
const MAX_JUDGMENTS = 3_000_000;

/**
 * Minimum number of times that a rule must occur in `MAX_HOPS` hops to count as part of a loop
 * whose URLs keep changing.
 */
const MIN_RETURNS = 3;

/** Minimum number of conditions that are counted for one hop. */
const HOP_COST = 30;

type Redirect = Extract<Terminal, { readonly type: "redirect" }>;

/** A loop, with its rules and the paths that a browser would request. */
interface Circle {
  /** Indexes of the loop's rules in the list of all rules. */
  readonly rules: readonly number[];
  readonly followed: readonly string[];
}

interface Hop {
  readonly from: string;
  readonly state: string;
  /** Index in the given rules. */
  readonly rule: number;
}

/**
 * Returns the maximum number of path prefixes in a chain in which each prefix extends the previous
 * one. A request can match all of them.
 */
function* deepestNesting(literals: ReadonlySet<string>): Steps<number> {
  const open: string[] = [];
  let deepest = 0;
  for (const literal of yield* sortInSteps([...literals], (a, b) => a < b)) {
    while (open.length > 0 && !literal.startsWith(open.at(-1) ?? "")) open.pop();
    deepest = Math.max(deepest, open.push(literal));
  }
  return deepest;
}

function literalOf({ rule }: PlacedRule): string {
  const { path } = rule.condition;
  return (path?.type === "glob" ? path.value.split(/[*?{\\]/, 1)[0] : path?.value) ?? "/";
}

/** Number of conditions that can be tested in the time it takes to check one value. */
const JUDGMENTS_PER_VALUE = 16;

/** Estimates the maximum number of rules that one request can match. */
function* costOfHop(rules: readonly PlacedRule[], pace: Pace): Steps<number> {
  const counts = new Map<string, number>();
  const literals = new Set<string>();
  for (const placed of rules) {
    if (pace.fills(LOOK_COST)) yield;
    const literal = literalOf(placed);
    literals.add(literal);
    const key = JSON.stringify([literal, placed.rule.condition.host]);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const everywhere = counts.get(JSON.stringify(["/", undefined])) ?? 0;
  const most = [...counts.values()].reduce((a, b) => Math.max(a, b), HOP_COST);
  return most + everywhere + (yield* deepestNesting(literals)) ** 2;
}

/** Maximum number of hops to show. */
const MAX_SHOWN = 4;

const addressOf = ({ host, target }: SampleRequest): string =>
  host === UNNAMED_HOST ? target : `${host}${target}`;

function pathsOf(hops: readonly Hop[], last = "…"): string[] {
  const shown = hops.slice(0, MAX_SHOWN).map((hop) => hop.from);
  return [...shown, hops.length > MAX_SHOWN ? "…" : last];
}

function circleOf(hops: readonly Hop[], last?: string): Circle {
  return { rules: [...new Set(hops.map((hop) => hop.rule))], followed: pathsOf(hops, last) };
}

class LoopSearch {
  #hopsLeft: number;

  readonly #compiled: CompiledRules;
  readonly #hosts: ReadonlySet<string>;
  readonly #hopCost: number;
  readonly #pace: Pace;

  private constructor(
    compiled: CompiledRules,
    hosts: ReadonlySet<string>,
    hopCost: number,
    pace: Pace,
  ) {
    this.#compiled = compiled;
    this.#hosts = hosts;
    this.#hopCost = hopCost;
    this.#pace = pace;
    this.#hopsLeft = Math.floor(MAX_JUDGMENTS / hopCost);
  }

  static *over(placed: readonly PlacedRule[], pace: Pace): Steps<LoopSearch> {
    const rules = placed.map(({ rule }) => rule);
    const compiled = yield* compileInSteps({ schemaVersion: SCHEMA_VERSION, rules }, pace);
    const hosts = new Set<string>();
    for (const { condition: { host } } of rules) {
      if (host !== undefined) hosts.add(host);
      if (pace.fills(LOOK_COST)) yield;
    }
    return new LoopSearch(compiled, hosts, yield* costOfHop(placed, pace), pace);
  }

  /** Finds the loop that a sample request for the rule `start` enters. */
  *find(start: number, sample: SampleRequest): Steps<Circle | undefined> {
    const hops: Hop[] = [];
    let request = sample;
    while (hops.length <= MAX_HOPS) {
      if (--this.#hopsLeft < 0) return undefined;
      if (this.#pace.fills(this.#hopCost / JUDGMENTS_PER_VALUE)) yield;
      const redirect = this.#redirectOf(request);
      if (redirect === undefined) return undefined;
      if (hops.length === 0 && redirect.rule.index !== start) return undefined;
      const state = JSON.stringify([request.method, request.host, request.target]);
      const seen = hops.findIndex((hop) => hop.state === state);
      if (seen >= 0) return circleOf(hops.slice(seen), addressOf(request));
      hops.push({ from: addressOf(request), state, rule: redirect.rule.index });
      const next = this.#follow(request, redirect);
      if (next === undefined) return undefined;
      request = next;
    }
    const last = hops.at(-1)?.rule;
    if (hops.filter((hop) => hop.rule === last).length < MIN_RETURNS) return undefined;
    return { ...circleOf(hops.slice(MAX_HOPS / 2)), followed: pathsOf(hops) };
  }

  /** Returns the redirect for a request, if it applies regardless of files. */
  #redirectOf(request: SampleRequest): Redirect | undefined {
    const facts = factsFromRequest(request);
    if ("rejected" in facts) return undefined;
    let isCertain = true;
    const { terminal } = evaluateRules(this.#compiled, facts, {
      fileExists: () => (isCertain = false),
      rateLimited: () => false,
    });
    return isCertain && terminal.type === "redirect" && FOLLOWED.has(terminal.status)
      ? terminal
      : undefined;
  }

  #follow(request: SampleRequest, redirect: Redirect): SampleRequest | undefined {
    const url = URL.parse(redirect.location, `http://${request.host}`);
    if (url === null || url.port !== "") return undefined;
    const isOurs = url.hostname === request.host || this.#hosts.has(url.hostname);
    if (!isOurs) return undefined;
    const keepsMethod = redirect.status === 307 || redirect.status === 308 ||
      request.method === "HEAD";
    const target = `${url.pathname}${url.search}`;
    return {
      ...request,
      method: keepsMethod ? request.method ?? "GET" : "GET",
      host: url.hostname,
      target,
      url: `http://${url.hostname}${target}`,
    };
  }
}

function describe(circle: Circle, rules: readonly PlacedRule[]): Finding {
  const first = circle.rules.reduce((least, index) => Math.min(least, index));
  const others = circle.rules.filter((index) => index !== first)
    .map((index) => `"${rules[index]?.rule.id}"`);
  return warningAt(["rules", rules[first]?.index ?? 0, "action", "target"], {
    code: "redirect_loop",
    message: others.length === 0
      ? "Change the redirect's target: it leads back to the same rule"
      : `Break the redirect loop: the rule leads back to itself through ${joinNames(others)}`,
    hint: `Followed: ${circle.followed.join(" -> ")}`,
  });
}

/** Reports each redirect loop once, at the first of its rules. */
export function* warnRedirectLoops(rules: readonly PlacedRule[], pace: Pace): FindingSteps {
  const redirects = rules.flatMap(({ rule }, at) =>
    rule.enabled && rule.action.type === "redirect" ? [{ rule, at }] : []
  );
  if (redirects.length === 0) return;
  const search = yield* LoopSearch.over(rules, pace);
  const reported = new Set<number>();
  for (const { rule, at } of redirects) {
    if (reported.has(at)) continue;
    const sample = sampleRequest(rule.condition);
    if (pace.fills(countValues(rule.condition))) yield;
    const circle = sample === undefined ? undefined : yield* search.find(at, sample);
    if (circle === undefined || circle.rules.some((index) => reported.has(index))) continue;
    for (const index of circle.rules) reported.add(index);
    yield describe(circle, rules);
  }
}
