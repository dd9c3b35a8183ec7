/**
 * @module Converts `Cache-Control` in the headers of a `vercel.json`. The `s-maxage` directive is
 * meant for Vercel's own cache, which stores the response for that time and removes the directive.
 */
import { NoEquivalent } from "./import_result.ts";
import type { Action, Condition, LeafCondition, Rule, VaryDimension } from "../rule_set/types.ts";

/** Fields that are only for shared caches; the first field that is present is used. */
const TARGETED = ["vercel-cdn-cache-control", "cdn-cache-control"] as const;
const CACHE_CONTROL = "cache-control";
/** Vercel's default for browsers. */
const NOTHING_LEFT = "public, max-age=0, must-revalidate";

const DIMENSIONS: readonly (readonly [keyof LeafCondition, VaryDimension])[] = [
  ["geo", "geo"],
  ["headers", "header"],
  ["cookies", "cookie"],
  ["query", "query"],
];

interface Lifetime {
  readonly ttlSeconds: number;
  readonly swrSeconds?: number;
}

const numberOf = (directives: readonly string[], name: string): number | undefined => {
  const found = directives.map((one) => new RegExp(`^${name}="?(\\d{1,9})"?$`, "i").exec(one)?.[1])
    .find((value) => value !== undefined);
  return found === undefined ? undefined : Number(found);
};

function lifetimeOf(directives: readonly string[], name: string): Lifetime | undefined {
  const ttlSeconds = numberOf(directives, name);
  const forbids = directives.some((one) => /^(?:no-store|no-cache|private)(?:=|$)/i.test(one));
  if (ttlSeconds === undefined || ttlSeconds === 0 || forbids) return undefined;
  const swrSeconds = numberOf(directives, "stale-while-revalidate");
  return { ttlSeconds, ...(swrSeconds === undefined ? {} : { swrSeconds }) };
}

const directivesOf = (value: string): string[] =>
  value.split(",").map((one) => one.trim()).filter((one) => one !== "");

interface EdgeCaching {
  /** The headers, except those that control only the edge. */
  readonly headers: Readonly<Record<string, string>>;
  /** The caching action; `undefined` if the headers do not control caching. */
  readonly action: Action | undefined;
}

/** Returns the `vary` that the condition of a cache rule requires. */
function varyOf({ any = [], not = {}, ...leaf }: Condition): VaryDimension[] {
  return DIMENSIONS.flatMap(([field, dimension]) =>
    [leaf, not, ...any].some((one) => one[field] !== undefined) ? [dimension] : []
  );
}

/** Reads the caching settings for the edge from an entry's headers. */
export function readEdgeCaching(
  headers: Readonly<Record<string, string>>,
  condition: Condition,
): EdgeCaching {
  const byName = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const targeted = TARGETED.find((name) => byName.has(name));
  const written = directivesOf(byName.get(CACHE_CONTROL) ?? "");
  const lifetime = targeted === undefined
    ? lifetimeOf(written, "s-maxage")
    : lifetimeOf(directivesOf(byName.get(targeted) ?? ""), "max-age");
  if (targeted === undefined && written.length === 0) return { headers, action: undefined };
  if (targeted === undefined && !written.some((one) => /^s-maxage=/i.test(one))) {
    return { headers, action: { type: "bypass_cache" } };
  }
  const left = targeted === undefined
    ? written.filter((one) =>
      !/^(?:s-maxage|stale-while-revalidate|stale-if-error)(?:=|$)/i.test(one)
    )
    : written;
  const shown = left.length === 0 ? NOTHING_LEFT : left.join(", ");
  const kept = Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    const lower = name.toLowerCase();
    if (lower === TARGETED[0]) return [];
    return [[name, lower === CACHE_CONTROL ? shown : value]];
  });
  const vary = varyOf(condition);
  return {
    headers: Object.fromEntries(kept),
    action: lifetime === undefined
      ? { type: "bypass_cache" }
      : { type: "cache", ...lifetime, ...(vary.length === 0 ? {} : { vary }) },
  };
}

/**
 * Returns the rules, with caching rules in reverse order: in Vercel, the last matching entry
 * applies, but in svc, the first matching rule does. A rule that forbids caching is dropped if no
 * earlier rule allows it.
 */
export function arrangeCaching(rules: readonly Rule[]): Rule[] {
  const isCaching = ({ action: { type } }: Rule) => type === "cache" || type === "bypass_cache";
  const caching = rules.filter(isCaching);
  const first = caching.findIndex(({ action }) => action.type === "cache");
  const needed = first < 0 ? [] : caching.slice(first);
  return [...rules.filter((rule) => !isCaching(rule)), ...needed.toReversed()];
}

/** Rejects a lifetime that contains a capture of the path. */
export function assertPlainLifetime(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/cache-control$/i.test(name) || !/\{[^{}]+\}/.test(value)) continue;
    throw new NoEquivalent(`The value of ${name} cannot contain a capture of the path`);
  }
}
