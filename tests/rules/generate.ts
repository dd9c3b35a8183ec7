/**
 * Generates random rule sets and requests for tests. Both use only a few words, so that rules often
 * match.
 *
 * @module
 */
import fc from "fast-check";
import {
  type Action,
  type Condition,
  type DescribedRequest,
  DEVICES,
  type LeafCondition,
  METHODS,
  type PathMatch,
  type Rule,
  type RuleSet,
  SCHEMA_VERSION,
  VARY_DIMENSIONS,
} from "../../src/rules/mod.ts";
import { captureNames, parseGlob } from "../../src/rules/pattern/glob.ts";

const segment = fc.constantFrom("a", "a", "b", "b", "ab", "b.js", "é", "%2F");
const hosts = ["one.test", "two.test", "xn--bcher-kva.test"] as const;
const countries = ["DE", "FR", "US"] as const;
const asns = [1, 64500, 4294967295] as const;
const addresses = ["10.0.0.1", "10.1.2.3", "192.0.2.7", "::ffff:10.0.0.9", "2001:db8::1", "::1"];
const cidrs = ["10.0.0.0/8", "10.0.0.1/32", "0.0.0.0/0", "2001:db8::/32", "::/0", "192.0.2.0/25"];

const plainPath = fc.tuple(fc.array(segment, { maxLength: 3 }), fc.constantFrom("", "", "/"))
  .map(([segments, end]) => `/${segments.join("/")}${segments.length === 0 ? "" : end}`);

const globPart = fc.oneof(
  { weight: 3, arbitrary: segment },
  { weight: 4, arbitrary: fc.constantFrom("*", "**", "?", "*.js", "a*", "?b", "**b") },
);

const glob = fc.record({
  parts: fc.array(globPart, { maxLength: 3 }),
  captures: fc.constantFrom([], ["{p}"], ["{p}"], ["{q}", "{p}"]),
  at: fc.nat(3),
  end: fc.constantFrom("", "", "/", "/{r...}"),
}).map(({ parts, captures, at, end }) => {
  const all = [...parts.slice(0, at), ...captures, ...parts.slice(at)];
  return `/${all.join("/")}${all.length === 0 ? end.slice(1) : end}`;
});

const path: fc.Arbitrary<PathMatch> = fc.oneof(
  fc.record({ type: fc.constant("exact" as const), value: plainPath }),
  fc.record({ type: fc.constant("prefix" as const), value: plainPath }),
  fc.record({ type: fc.constant("glob" as const), value: glob }),
);
const captureless = path.filter(({ value }) => !value.includes("{"));

const some = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1, maxLength: 3 });
const pairs = (name: string, more = "2") =>
  fc.dictionary(fc.constantFrom(name, `${name}2`), fc.constantFrom("1", "2", more), {
    minKeys: 1,
    maxKeys: 2,
  });

/** Chooses up to three fields, so that conditions sometimes match. */
function leaf(pathOf: fc.Arbitrary<PathMatch>): fc.Arbitrary<LeafCondition> {
  const fields = fc.record({
    path: pathOf,
    methods: fc.subarray(METHODS.slice(0, 3)),
    host: fc.constantFrom(...hosts),
    headers: pairs("x-a", "2, 1"),
    query: pairs("q"),
    cookies: pairs("c"),
    geo: some(countries),
    asn: some(asns),
    device: fc.constantFrom(...DEVICES),
    sourceIpCidrs: some(cidrs),
  });
  const kept = fc.subarray(
    ["methods", "host", "headers", "query", "cookies", "geo", "asn", "device", "sourceIpCidrs"],
    { maxLength: 2 },
  );
  return fc.tuple(fields, kept, fc.integer({ min: 0, max: 3 })).map(([all, names, hasPath]) =>
    Object.fromEntries(
      Object.entries(all).filter(([name]) => name === "path" ? hasPath > 0 : names.includes(name)),
    )
  );
}

const condition: fc.Arbitrary<Condition> = fc.tuple(
  leaf(path),
  fc.option(fc.array(leaf(captureless), { minLength: 1, maxLength: 3 }), { freq: 3 }),
  fc.option(leaf(captureless), { freq: 4 }),
).map(([root, any, not]) => ({
  ...root,
  ...(any === null ? {} : { any }),
  ...(not === null ? {} : { not }),
}));

const shadow = fc.constantFrom("shadow" as const, "enforce" as const);
const small = fc.constantFrom(
  "",
  "/",
  "/to",
  "/to/{n}",
  "{n}",
  "/{n}/{n}",
  "/{{n}}/x",
  "/to?k={n}&l={n}",
  "/to?q={n}",
);
const target = fc.tuple(fc.constantFrom("", "https://far.test"), small).map(([origin, rest]) =>
  origin !== "" && rest.startsWith("{") ? `${origin}/${rest}` : `${origin}${rest}`
).filter((text) => text !== "");

/** Targets that only a redirect can have, because they are relative to the request's path. */
const link = fc.constantFrom("to", "./to/it?k=1", "../to", "..", "?q=3");

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.constantFrom<Action>({ type: "allow" }, { type: "log" }, { type: "bypass_cache" }),
  fc.record({
    type: fc.constant("deny" as const),
    mode: shadow,
    statusCode: fc.constantFrom(403, 451),
  }),
  fc.record({
    type: fc.constant("rate_limit" as const),
    limit: fc.constant(5),
    windowSeconds: fc.constant(60),
    mode: shadow,
  }),
  fc.record({
    type: fc.constant("redirect" as const),
    target: fc.oneof(target, link),
    statusCode: fc.constantFrom(301, 308, 200),
    ifNoFile: fc.boolean(),
  }),
  fc.record({ target, ifNoFile: fc.boolean() }).map((fields) => ({
    type: "rewrite" as const,
    external: fields.target.startsWith("https:"),
    ...fields,
  })),
  fc.constantFrom("plain", "{n}", "a {n} b", "{{n}} {n}").map((value) => ({
    type: "set_headers" as const,
    headers: { "x-out": value, "x-more": "1" },
  })),
  fc.constant<Action>({ type: "remove_headers", headers: ["server", "x-out"] }),
  fc.record({
    type: fc.constant("cache" as const),
    ttlSeconds: fc.constantFrom(1, 60),
    vary: fc.subarray([...VARY_DIMENSIONS]),
  }),
  fc.record({
    type: fc.constant("pipeline" as const),
    steps: fc.constant([{ handle: "origin" }]),
    override: fc.boolean(),
  }),
);

/**
 * Replaces `n` with a capture from the rule's own glob, or with plain text if the glob has none.
 */
function bindCaptures(rule: Rule, pick: number): Rule {
  const { path: match } = rule.condition ?? {};
  const parsed = match?.type === "glob" ? parseGlob(match.value) : { tokens: [] };
  const names = "tokens" in parsed ? captureNames(parsed.tokens) : [];
  const name = names[pick % Math.max(1, names.length)];
  const bind = (text: string) =>
    text.replaceAll("{{n}}", "{{e}}").replaceAll("{n}", name === undefined ? "z" : `{${name}}`);
  const { action: bound } = rule;
  if ("target" in bound) return { ...rule, action: { ...bound, target: bind(bound.target) } };
  if (bound.type !== "set_headers") return rule;
  const headers = Object.entries(bound.headers).map(([key, value]) => [key, bind(value)]);
  return { ...rule, action: { ...bound, headers: Object.fromEntries(headers) } };
}

const rule = fc.record({
  enabled: fc.integer({ min: 0, max: 9 }).map((roll) => roll > 0),
  condition,
  action,
  pick: fc.nat(2),
}).map(({ pick, ...fields }) => bindCaptures({ id: "", ...fields }, pick));

/**
 * Generates rule sets in the authored format. They are valid, except that they may violate the
 * rules for caches and gates.
 */
export const anyRuleSet: fc.Arbitrary<RuleSet> = fc.array(rule, {
  minLength: 4,
  maxLength: 24,
  size: "medium",
}).map((rules) => ({
  schemaVersion: SCHEMA_VERSION,
  rules: rules.map((each, index) => ({ ...each, id: `r${index}` })),
}));

const cookie = fc.constantFrom("c=1", "c=2; c2=1", "c2=2; c=1", "x=1; c=");

/** Generates requests that use the same few words. */
export const anyRequest: fc.Arbitrary<DescribedRequest> = fc.record({
  method: fc.constantFrom("GET", "GET", "POST", "PUT", "DELETE", "TRACE"),
  url: fc.tuple(
    fc.constantFrom(...hosts, "other.test"),
    plainPath,
    fc.constantFrom("", "", "?q=1", "?q=2&q=1", "?q2=1&q=%31", "?q=", "??q=1", "?k=2&%71=3&&x"),
  ).map(([host, where, query]) => `https://${host}${where}${query}`),
  headers: fc.record({
    "x-a": fc.constantFrom("1", "2", "2, 1"),
    "x-a2": fc.constantFrom("1", "2"),
    cookie,
  }, {
    requiredKeys: [],
  }),
  ip: fc.constantFrom(...addresses),
  country: fc.constantFrom(...countries),
  asn: fc.constantFrom(...asns),
  device: fc.constantFrom(...DEVICES),
}, { requiredKeys: ["url", "method"] });

const FILLINGS: readonly (readonly [RegExp, string])[] = [
  [/\{\w+\.\.\.\}/g, "a/b"],
  [/\{\w+\}/g, "a%21+b"],
  [/\*\*/g, "b/a"],
  [/[*?]/g, "b"],
];

const first = (record: Readonly<Record<string, string>> | undefined, join: string) =>
  Object.entries(record ?? {}).map(([name, value]) => `${name}=${value}`).join(join);

/** Returns the request, changed so that it usually matches a condition. */
export function aimAt(request: DescribedRequest, { any, ...root }: Condition): DescribedRequest {
  const wanted = { ...any?.[0], ...root };
  const old = new URL(request.url);
  const where = FILLINGS.reduce(
    (text, [from, to]) => text.replace(from, to),
    wanted.path?.value ?? old.pathname,
  );
  const query = wanted.query === undefined ? old.search : `?${first(wanted.query, "&")}`;
  const [method = request.method ?? "GET"] = wanted.methods ?? [];
  const [country = request.country] = wanted.geo ?? [];
  const [asn = request.asn] = wanted.asn ?? [];
  const [cidr] = wanted.sourceIpCidrs ?? [];
  const ip = cidr?.split("/")[0] ?? request.ip;
  const device = wanted.device ?? request.device;
  const cookies = wanted.cookies && { cookie: first(wanted.cookies, "; ") };
  return {
    method,
    url: `https://${wanted.host ?? old.host}${where}${query}`,
    headers: { ...request.headers, ...wanted.headers, ...cookies },
    ...(ip === undefined ? {} : { ip }),
    ...(country === undefined ? {} : { country }),
    ...(asn === undefined ? {} : { asn }),
    ...(device === undefined ? {} : { device }),
  };
}
