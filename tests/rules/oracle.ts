/**
 * Evaluates rule sets for tests in a simple way. The oracle checks every rule in order, without
 * compiling, indexing or caching.
 *
 * @module
 */
import ipaddr from "ipaddr.js";
import { matchGlobPlainly } from "./oracle_glob.ts";
import type {
  Decision,
  EvaluationHooks,
  RequestFacts,
  RuleRef,
  RuntimeAction,
  RuntimeCondition,
  RuntimeLeaf,
  RuntimePath,
  RuntimeRule,
  RuntimeRuleSet,
} from "../../src/rules/mod.ts";
import { captureNames, parseGlob } from "../../src/rules/pattern/glob.ts";

function tokensOf(path: RuntimePath) {
  const parsed = parseGlob(path.value);
  return "tokens" in parsed ? parsed.tokens : [];
}

function pathHolds(path: RuntimePath, subject: string): boolean {
  if (path.type === "exact") return path.value === subject;
  if (path.type === "prefix") return subject.slice(0, path.value.length) === path.value;
  return matchGlobPlainly(tokensOf(path), subject) !== undefined;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

function inBlock(address: Address, cidr: string): boolean {
  const [network, bits] = ipaddr.parseCIDR(cidr);
  return network.kind() === address.kind() && address.match(network, bits);
}

/** Data that the oracle needs in addition to the facts, to match addresses independently. */
interface OracleContext {
  readonly ipText: string | undefined;
  readonly hooks: EvaluationHooks;
}

function leafHolds(leaf: RuntimeLeaf, facts: RequestFacts, ipText: string | undefined): boolean {
  const entries = (record: Readonly<Record<string, string>> | undefined) =>
    Object.entries(record ?? {});
  return [
    leaf.path === undefined || pathHolds(leaf.path, facts.path),
    leaf.methods === undefined || leaf.methods.some((method) => method === facts.method),
    leaf.host === undefined || leaf.host === facts.host,
    entries(leaf.headers).every(([name, value]) => {
      const seen = facts.header(name);
      return seen !== undefined && [seen, ...seen.split(/\s*,\s*/)].includes(value);
    }),
    entries(leaf.query).every(([name, value]) => facts.query(name).includes(value)),
    entries(leaf.cookies).every(([name, value]) => facts.cookie(name).includes(value)),
    leaf.geo === undefined || leaf.geo.some((country) => country === facts.country()),
    leaf.asn === undefined || leaf.asn.some((asn) => asn === facts.asn()),
    leaf.device === undefined || leaf.device === facts.device(),
    leaf.sourceIpCidrs === undefined || (ipText !== undefined &&
      leaf.sourceIpCidrs.some((cidr) => inBlock(ipaddr.process(ipText), cidr))),
  ].every((holds) => holds);
}

function holds(condition: RuntimeCondition, facts: RequestFacts, ip: string | undefined): boolean {
  if (!leafHolds(condition, facts, ip)) return false;
  if (condition.not !== undefined && leafHolds(condition.not, facts, ip)) return false;
  return condition.any === undefined || condition.any.some((leaf) => leafHolds(leaf, facts, ip));
}

const inQuery = (text: string) =>
  text.replace(/[!$&'()*+,;=:@]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);

function fill(text: string, captures: ReadonlyMap<string, string>, encode = (raw: string) => raw) {
  return text.replace(
    /\{\{(\w+)\}\}|\{(\w+)\}/g,
    (_, escaped, name) => escaped === undefined ? encode(captures.get(name) ?? "") : `{${escaped}}`,
  );
}

function capturesOf(rule: RuntimeRule, facts: RequestFacts): ReadonlyMap<string, string> {
  const { path } = rule.condition;
  if (path?.type !== "glob") return new Map();
  const values = matchGlobPlainly(tokensOf(path), facts.path) ?? [];
  return new Map(captureNames(tokensOf(path)).map((name, index) => [name, values[index] ?? ""]));
}

const parametersOf = (query: string) => [...new URLSearchParams(`?${query}`).keys()];

/**
 * Returns the query parameters of a rewrite's target, followed by the request's parameters that
 * have different names.
 */
function merge(own: string, asked: string): string {
  const pairs = asked.split("&").filter((pair) =>
    parametersOf(pair).every((name) => !parametersOf(own).includes(name))
  );
  return own === "" ? asked : [own, ...pairs.filter((pair) => pair !== "")].join("&");
}

/** Returns the path to which a link on the page at `path` leads. */
const linkFrom = (path: string, link: string) => new URL(link, `https://here.test${path}`).pathname;

/** Fills the captures into a target of the form `[origin]/path[?query]`. */
function follow(target: string, rule: RuntimeRule, facts: RequestFacts) {
  const captures = capturesOf(rule, facts);
  const origin = /^https?:\/\/[^/]*/.exec(target)?.[0] ?? "";
  const [path = "", own] = target.slice(origin.length).split("?");
  const ownQuery = own === undefined ? undefined : fill(own, captures, inQuery);
  const query = rule.action.type === "rewrite"
    ? merge(ownQuery ?? "", facts.rawQuery)
    : ownQuery ?? facts.rawQuery;
  const isLink = origin === "" && !/^\/|(?<!\{)\{\w+\}/.test(path);
  const filled = isLink
    ? linkFrom(facts.path, path)
    : `/${fill(path, captures).replace(/^\/*/, "")}`;
  return { origin, path: filled, query, search: query === "" ? "" : `?${query}` };
}

function varyNames({ condition }: RuntimeRule) {
  const leaves = [condition, ...condition.any ?? [], ...(condition.not ? [condition.not] : [])];
  const names = (
    field: "headers" | "cookies" | "query",
  ) => [...new Set(leaves.flatMap((leaf) => Object.keys(leaf[field] ?? {})))];
  return { headers: names("headers"), cookies: names("cookies"), query: names("query") };
}

function specificity({ condition: { path } }: RuntimeRule): number {
  if (path === undefined) return 0;
  if (path.type === "exact") return Infinity;
  if (path.type === "prefix") return path.value.length;
  const [first] = tokensOf(path);
  return first?.type === "text" ? first.text.length : 0;
}

type Of<T extends RuntimeAction["type"]> = Extract<RuntimeAction, { readonly type: T }>;

interface Draft extends Decision {
  terminal: Decision["terminal"];
  rewrite?: Decision["rewrite"];
  cache?: Decision["cache"];
  pipeline?: Decision["pipeline"];
  readonly headerEdits: Decision["headerEdits"][number][];
  readonly hits: Decision["hits"][number][];
  readonly matched: number[];
}

function headerEdits(
  action: Of<"set_headers" | "remove_headers">,
  rule: RuntimeRule,
  facts: RequestFacts,
) {
  if (action.type === "remove_headers") {
    return action.headers.map((name) => ({ type: "remove", name }) as const);
  }
  return Object.entries(action.headers).map(([name, value]) =>
    ({ type: "set", name, value: fill(value, capturesOf(rule, facts)) }) as const
  );
}

/** Runs the security phase. Returns true if that phase responds to the request. */
function runSecurity(
  rules: readonly { readonly rule: RuntimeRule; readonly ref: RuleRef }[],
  draft: Draft,
  hooks: EvaluationHooks,
): boolean {
  for (const { rule: { action }, ref } of rules) {
    draft.matched.push(ref.index);
    if (action.type === "allow") return false;
    if (action.type === "log") draft.hits.push({ type: "log", rule: ref });
    if (action.type === "deny" && action.mode === "shadow") {
      draft.hits.push({ type: "would_deny", rule: ref });
    } else if (action.type === "deny") {
      draft.hits.push({ type: "deny", rule: ref });
      draft.terminal = { type: "deny", status: action.statusCode, rule: ref };
      return true;
    }
    if (action.type !== "rate_limit" || !hooks.rateLimited(ref, action)) continue;
    if (action.mode === "shadow") draft.hits.push({ type: "would_rate_limit", rule: ref });
    else {
      draft.hits.push({ type: "rate_limit", rule: ref });
      draft.terminal = { type: "rate_limited", action, rule: ref };
      return true;
    }
  }
  return false;
}

/** Evaluates a rule set for facts, rule by rule. */
export function evaluatePlainly(
  set: RuntimeRuleSet,
  facts: RequestFacts,
  { ipText, hooks }: OracleContext,
): Decision {
  const draft: Draft = { terminal: { type: "none" }, headerEdits: [], hits: [], matched: [] };
  const matching = set.rules
    .map((rule, index) => ({ rule, ref: { id: rule.id, index } }))
    .filter(({ rule }) => rule.enabled && holds(rule.condition, facts, ipText));
  const of = (...types: RuntimeAction["type"][]) =>
    matching.filter(({ rule }) => types.includes(rule.action.type));
  const applies = ({ rule: { action } }: { rule: RuntimeRule }) =>
    !("ifNoFile" in action && action.ifNoFile && hooks.fileExists(facts.path));

  if (runSecurity(of("allow", "log", "deny", "rate_limit"), draft, hooks)) return draft;
  const redirect = of("redirect").find(applies);
  if (redirect !== undefined) {
    const { rule, ref } = redirect;
    const action = rule.action as Of<"redirect">;
    const { origin, path, search } = follow(action.target, rule, facts);
    const status = action.statusCode >= 300 && action.statusCode < 400 ? action.statusCode : 302;
    draft.terminal = { type: "redirect", status, location: origin + path + search, rule: ref };
    draft.matched.push(ref.index);
  } else {
    continueAfterRedirect(draft, facts, { of, applies });
  }
  for (const { rule, ref } of of("set_headers", "remove_headers")) {
    const action = rule.action as Of<"set_headers" | "remove_headers">;
    draft.headerEdits.push(...headerEdits(action, rule, facts));
    draft.matched.push(ref.index);
  }
  return draft;
}

const asPath = (text: string) =>
  text.replaceAll(/\/+/g, "/").replaceAll("{", "%7B").replaceAll("}", "%7D");

type Matching = { readonly rule: RuntimeRule; readonly ref: RuleRef };

function continueAfterRedirect(draft: Draft, facts: RequestFacts, matching: {
  of(...types: RuntimeAction["type"][]): readonly Matching[];
  applies(matching: Matching): boolean;
}): void {
  const rewrite = matching.of("rewrite").find(matching.applies);
  if (rewrite !== undefined) {
    const { rule, ref } = rewrite;
    const action = rule.action as Of<"rewrite">;
    const { origin, path, query, search } = follow(action.target, rule, facts);
    draft.rewrite = action.external
      ? { type: "external", url: origin + path + search, rule: ref }
      : {
        type: "internal",
        path: asPath(path),
        query,
        ...(action.ifNoFile ? { ifNoFile: true } : {}),
        rule: ref,
      };
    draft.matched.push(ref.index);
  }
  const [cache] = matching.of("cache", "bypass_cache");
  if (cache !== undefined) {
    const { rule, ref } = cache;
    draft.cache = rule.action.type === "cache"
      ? { ...rule.action, varyNames: varyNames(rule), rule: ref }
      : { type: "bypass", rule: ref };
    draft.matched.push(ref.index);
  }
  const override = ({ rule }: Matching) => Number((rule.action as Of<"pipeline">).override);
  const [pipeline] = [...matching.of("pipeline")].sort((a, b) =>
    override(b) - override(a) ||
    Math.sign(specificity(b.rule) - specificity(a.rule) || 0) || a.ref.index - b.ref.index
  );
  if (pipeline !== undefined) {
    draft.pipeline = { steps: (pipeline.rule.action as Of<"pipeline">).steps, rule: pipeline.ref };
    draft.matched.push(pipeline.ref.index);
  }
}
