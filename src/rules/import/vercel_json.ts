/** @module Converts the redirects, rewrites and headers of a `vercel.json` into rules. */
import * as z from "zod";
import type { Condition, LeafCondition, Rule } from "../rule_set/types.ts";
import {
  ImportCollector,
  type ImportResult,
  NoEquivalent,
  type SourceLine,
  UnreadableImportError,
} from "./import_result.ts";
import { locateJson } from "./json_lines.ts";
import {
  doubleBraces,
  namesOf,
  rewriteReferences,
  type Segment,
  toPathMatch,
} from "./path_pattern.ts";
import { readVercelSetting } from "./page_settings.ts";
import { arrangeCaching, assertPlainLifetime, readEdgeCaching } from "./vercel_cache.ts";
import { whereSvcHasIt } from "./vercel_settings.ts";
import { readVercelSource, type VercelSource } from "./vercel_source.ts";
import { nameGroups, readDestination, withUnusedParameters } from "./vercel_target.ts";
import { type Variant, variantsOf } from "./vercel_variants.ts";

const matcher = z.union([
  z.strictObject({ type: z.literal("host"), value: z.string() }),
  z.strictObject({
    type: z.enum(["header", "cookie", "query"]),
    key: z.string(),
    value: z.string().optional(),
  }),
]);
const common = {
  source: z.string(),
  has: z.array(matcher).optional(),
  missing: z.array(matcher).optional(),
};
const redirect = z.strictObject({
  ...common,
  destination: z.string(),
  permanent: z.boolean().optional(),
  statusCode: z.int().optional(),
});
const rewrite = z.strictObject({ ...common, destination: z.string() });
const headers = z.strictObject({
  ...common,
  headers: z.array(z.strictObject({ key: z.string(), value: z.string() })),
});

type Matcher = z.infer<typeof matcher>;
type Common = { source: string; has?: Matcher[] | undefined; missing?: Matcher[] | undefined };

const FIELD = { header: "headers", cookie: "cookies", query: "query" } as const;

/**
 * Matches values without special characters. Values are regular expressions, which have an
 * equivalent only if they are literal text.
 */
const LITERAL = /^[\w .\-/=@%:,;~]*$/;
const PERMANENT = 308;
const TEMPORARY = 307;

/** Fields that Vercel uses for the client's location. Only the country is also available here. */
const VERCEL_PLACE = /^x-vercel-ip-/i;
const VERCEL_COUNTRY = /^x-vercel-ip-country$/i;
const COUNTRIES = /^\(?([A-Za-z]{2}(?:\|[A-Za-z]{2})*)\)?$/;

function readPlace(key: string, value: string | undefined): LeafCondition {
  const countries = VERCEL_COUNTRY.test(key) ? COUNTRIES.exec(value ?? "")?.[1] : undefined;
  if (countries === undefined) {
    throw new NoEquivalent(
      `The field "${key}" is specific to Vercel: svc has an equivalent only for the country`,
    );
  }
  return { geo: countries.split("|").map((country) => country.toUpperCase()) };
}

function readMatcher(one: Matcher): LeafCondition {
  if (one.type === "header" && VERCEL_PLACE.test(one.key)) return readPlace(one.key, one.value);
  if (one.value === undefined) {
    throw new NoEquivalent(`svc cannot test whether a ${one.type} is present`);
  }
  if (!LITERAL.test(one.value)) {
    throw new NoEquivalent(`The regular expression "${one.value}" has no equivalent`);
  }
  return one.type === "host"
    ? { host: one.value }
    : { [FIELD[one.type]]: { [one.key]: one.value } };
}

function merge(a: LeafCondition, b: LeafCondition): LeafCondition {
  if (a.host !== undefined && b.host !== undefined) {
    throw new NoEquivalent("No request matches two hosts");
  }
  if (a.geo !== undefined && b.geo !== undefined) {
    throw new NoEquivalent("No request matches two countries");
  }
  for (const field of ["headers", "cookies", "query"] as const) {
    const [left, right] = [a[field] ?? {}, b[field] ?? {}];
    const twice = Object.keys(left).find((name) =>
      Object.keys(right).some((other) => other.toLowerCase() === name.toLowerCase())
    );
    if (twice !== undefined) throw new NoEquivalent(`"${twice}" has two conditions`);
  }
  return {
    ...a,
    ...b,
    ...(a.headers && b.headers ? { headers: { ...a.headers, ...b.headers } } : {}),
    ...(a.cookies && b.cookies ? { cookies: { ...a.cookies, ...b.cookies } } : {}),
    ...(a.query && b.query ? { query: { ...a.query, ...b.query } } : {}),
  };
}

function readMatchers(entry: Common): Condition {
  const has = (entry.has ?? []).map(readMatcher).reduce(merge, {});
  const [missing, second] = (entry.missing ?? []).map(readMatcher);
  if (second !== undefined) throw new NoEquivalent("Only one value can be required to be missing");
  return missing === undefined ? has : { ...has, not: missing };
}

/**
 * Matches every path that does not end with a slash; the root of the site is matched separately.
 */
const NO_SLASH_AT_END: LeafCondition = { path: { type: "glob", value: "/**?" } };
const ROOT: LeafCondition = { path: { type: "exact", value: "/" } };

const withoutSlash = (segments: readonly Segment[]): Condition => ({
  any: segments.length === 1 ? [NO_SLASH_AT_END, ROOT] : [NO_SLASH_AT_END],
});

interface Converted {
  readonly action: Rule["action"];
  readonly used: ReadonlySet<string>;
}

function conditionOf(
  segments: readonly Segment[],
  { source: { refusesSlash, excluded }, matchers, used }: {
    readonly source: VercelSource;
    readonly matchers: Condition;
    readonly used: ReadonlySet<string>;
  },
): Condition {
  if (excluded !== undefined && matchers.not !== undefined) {
    throw new NoEquivalent('A condition can have only one exclusion: either "missing" or (?!…)');
  }
  return {
    path: toPathMatch(segments, used),
    ...(refusesSlash ? withoutSlash(segments) : {}),
    ...(excluded === undefined ? {} : { not: { path: excluded } }),
    ...matchers,
  };
}

function toRules(
  id: string,
  entry: Common,
  convert: (segments: readonly Segment[]) => Converted,
): Rule[] {
  const source = readVercelSource(entry.source);
  const { segments } = source;
  const matchers = readMatchers(entry);
  const { action, used } = convert(segments);
  const rule: Rule = { id, condition: conditionOf(segments, { source, matchers, used }), action };
  if (!source.takesBase) return [rule];
  const base = segments.slice(0, -1);
  const atBase = convert(base);
  const atBasePath = { path: toPathMatch(base, atBase.used), ...matchers };
  return [{ id: `${id}-base`, condition: atBasePath, action: atBase.action }, rule];
}

/** Returns a complete source's captures and groups. */
function captured(source: string) {
  const { segments, groups } = readVercelSource(source);
  return { all: namesOf(segments), groups };
}

/** Creates the rules for all variants. Each variant gets its own IDs. */
function eachVariant(
  id: string,
  entry: Variant,
  convert: (id: string, variant: Variant) => Rule[],
): Rule[] {
  const variants = variantsOf(entry);
  return variants.flatMap((variant, index) =>
    convert(variants.length === 1 ? id : `${id}-${index + 1}`, variant)
  );
}

function convertRedirect(id: string, raw: unknown): Rule[] {
  const entry = parse(redirect, raw);
  const statusCode = entry.statusCode ?? (entry.permanent === false ? TEMPORARY : PERMANENT);
  const whole = { source: entry.source, texts: [entry.destination] };
  return eachVariant(
    id,
    whole,
    (ruleId, { source, texts: [destination = ""] }) =>
      toRules(ruleId, { ...entry, source }, (segments) => {
        const { target, used } = readDestination(destination, segments, captured(source));
        return { action: { type: "redirect", target, statusCode }, used };
      }),
  );
}

function convertRewrite(id: string, raw: unknown): Rule[] {
  const entry = parse(rewrite, raw);
  const external = /^https?:/i.test(entry.destination) ? { external: true } : {};
  const texts = [withUnusedParameters(entry.source, entry.destination)];
  const whole = { source: entry.source, texts };
  return eachVariant(
    id,
    whole,
    (ruleId, { source, texts: [destination = ""] }) =>
      toRules(ruleId, { ...entry, source }, (segments) => {
        const { target, used } = readDestination(destination, segments, captured(source));
        return { action: { type: "rewrite", target, ...external, ifNoFile: true }, used };
      }),
  );
}

/** Reads header values with references to captures, and rejects duplicate headers. */
function readHeaderValues(
  keys: readonly string[],
  texts: readonly string[],
  { segments, source }: { readonly segments: readonly Segment[]; readonly source: string },
) {
  const { all, groups } = captured(source);
  const used = new Set<string>();
  const here = namesOf(segments);
  const values = keys.map((key, index): [string, string] => {
    const text = nameGroups(texts[index] ?? "", groups);
    const rewritten = rewriteReferences(text, all, doubleBraces);
    for (const name of rewritten.used) if (here.includes(name)) used.add(name);
    const gone = all.filter((name) => !here.includes(name));
    return [key, gone.reduce((rest, name) => rest.replaceAll(`{${name}}`, ""), rewritten.text)];
  });
  return { values: Object.fromEntries(values), used };
}

/** Separates caching directives for the edge from headers for clients. */
function withCaching(rule: Rule): Rule[] {
  if (rule.action.type !== "set_headers") return [rule];
  assertPlainLifetime(rule.action.headers);
  const condition = rule.condition ?? {};
  const { headers, action } = readEdgeCaching(rule.action.headers, condition);
  const set: Rule[] = Object.keys(headers).length === 0
    ? []
    : [{ ...rule, action: { type: "set_headers", headers } }];
  return action === undefined ? set : [...set, { id: `${rule.id}-cache`, condition, action }];
}

function convertHeaders(id: string, raw: unknown): Rule[] {
  const entry = parse(headers, raw);
  const keys = entry.headers.map(({ key }) => key);
  const lower = keys.map((key) => key.toLowerCase());
  const twice = keys.find((_, index) => lower.indexOf(lower[index]!) !== index);
  if (twice !== undefined) throw new NoEquivalent(`The header "${twice}" is set twice`);
  const whole = { source: entry.source, texts: entry.headers.map(({ value }) => value) };
  return eachVariant(
    id,
    whole,
    (ruleId, { source, texts }) =>
      toRules(ruleId, { ...entry, source }, (segments) => {
        const { values, used } = readHeaderValues(keys, texts, { segments, source });
        return { action: { type: "set_headers", headers: values }, used };
      }).flatMap(withCaching),
  );
}

function parse<T>(schema: z.ZodType<T>, raw: unknown): T {
  const result = schema.safeParse(raw);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const name = issue?.code === "unrecognized_keys" ? issue.keys[0] : issue?.path.join(".");
  throw new NoEquivalent(`The field "${name}" has no equivalent`);
}

const CONVERTERS: Readonly<Record<string, (id: string, raw: unknown) => Rule[]>> = {
  redirects: convertRedirect,
  rewrites: convertRewrite,
  headers: convertHeaders,
};
const SINGULAR: Readonly<Record<string, string>> = {
  redirects: "redirect",
  rewrites: "rewrite",
  headers: "headers",
};

function readJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text.replace(/^\uFEFF/, "")) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { problem: error.message };
  }
}

/**
 * Turns the text of a `vercel.json` into a rule set.
 *
 * @throws {UnreadableImportError} if the text is not a JSON object
 */
export function importVercelJson(text: string): ImportResult {
  const collector = new ImportCollector(arrangeCaching);
  const json = readJson(text);
  const isTable = "value" in json && typeof json.value === "object" && json.value !== null &&
    !Array.isArray(json.value);
  if (!isTable) {
    throw new UnreadableImportError(
      "problem" in json ? `It is not valid JSON: ${json.problem}` : "It is not a JSON object",
    );
  }
  const lines = locateJson(text);
  const texts = text.split(/\r?\n/);
  const sourceOf = (path: string): SourceLine => {
    const line = lines.get(path) ?? 1;
    return { line, text: texts[line - 1] ?? "" };
  };
  for (const [key, value] of Object.entries(json.value as Record<string, unknown>)) {
    if (key === "$schema") continue;
    const setting = readVercelSetting(key, value);
    if (setting !== undefined) {
      collector.set(setting);
      continue;
    }
    const convert = Object.hasOwn(CONVERTERS, key) ? CONVERTERS[key] : undefined;
    if (convert === undefined || !Array.isArray(value)) {
      collector.refuse(sourceOf(key), whereSvcHasIt(key, value));
      continue;
    }
    value.forEach((raw, index) => {
      const taken = collector.take(
        sourceOf(`${key}.${index}`),
        () => convert(`${SINGULAR[key]}-${index + 1}`, raw),
      );
      if (taken.length > 0) collector.count();
    });
  }
  return collector.result();
}
