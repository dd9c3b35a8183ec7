/**
 * Conditions ready to judge. A judgement names the first field that does not
 * hold, so that the request path and `explain` run the same code.
 *
 * @module
 */
import type { RequestFacts } from "../facts.ts";
import { parseGlob } from "../glob.ts";
import { IpBlockSet, parseCidr } from "../ip_address.ts";
import { canonicalPathText } from "../path.ts";
import type { Device, RuntimeCondition, RuntimeLeaf, RuntimePath } from "../types.ts";
import { METHODS } from "../types.ts";
import { GlobMatcher } from "./glob_matcher.ts";

export type LeafField =
  | "path"
  | "methods"
  | "host"
  | "headers"
  | "query"
  | "cookies"
  | "geo"
  | "asn"
  | "device"
  | "sourceIpCidrs";

/** A field of a condition that does not hold. */
export type ConditionField = LeafField | "any" | "not";

/** A path condition ready to match. */
export type PathMatcher =
  | { readonly type: "exact" | "prefix"; readonly text: string }
  | { readonly type: "glob"; readonly glob: GlobMatcher; readonly suffix: string };

type Pairs = readonly (readonly [name: string, value: string])[];

/** The bit of a method; 0 for one that no rule can name. */
export function methodBit(method: string): number {
  const index = (METHODS as readonly string[]).indexOf(method);
  return index < 0 ? 0 : 1 << index;
}

/** Throws TypeError for a glob that the validation would have refused. */
export function compilePath(path: RuntimePath): PathMatcher {
  if (path.type !== "glob") return { type: path.type, text: canonicalPathText(path.value) };
  const parsed = path.tokens === undefined ? parseGlob(path.value) : { tokens: path.tokens };
  if ("problems" in parsed) throw new TypeError(`Can not compile glob "${path.value}"`);
  const last = parsed.tokens.at(-1);
  const suffix = last?.type === "text" && parsed.tokens.length > 1 ? last.text : "";
  return { type: "glob", glob: new GlobMatcher(parsed.tokens), suffix };
}

function pathHolds(matcher: PathMatcher, path: string): boolean {
  if (matcher.type === "glob") {
    return path.endsWith(matcher.suffix) && matcher.glob.matches(path);
  }
  return matcher.type === "exact" ? path === matcher.text : path.startsWith(matcher.text);
}

/** Equal to the whole value, or to one item of a list such as `gzip, br` or several header lines. */
export function headerHas(value: string | undefined, wanted: string): boolean {
  if (value === undefined || value === wanted) return value === wanted;
  return value.includes(",") && value.split(",").some((item) => item.trim() === wanted);
}

/** The fields of a condition that may also stand in `any` and `not`. */
export class LeafMatcher {
  readonly path: PathMatcher | undefined;
  readonly host: string | undefined;
  /** Bits of the methods; 0 where the list is empty, and so holds for none. */
  readonly methods: number | undefined;
  readonly headers: Pairs | undefined;
  readonly queries: Pairs | undefined;
  readonly cookies: Pairs | undefined;
  readonly countries: ReadonlySet<string> | undefined;
  readonly asns: ReadonlySet<number> | undefined;
  readonly device: Device | undefined;
  readonly blocks: IpBlockSet | undefined;

  constructor(leaf: RuntimeLeaf) {
    this.path = leaf.path && compilePath(leaf.path);
    this.host = leaf.host;
    this.methods = leaf.methods?.reduce((bits, method) => bits | methodBit(method), 0);
    this.headers = leaf.headers &&
      Object.entries(leaf.headers).map(([name, value]) => [name.toLowerCase(), value] as const);
    this.queries = leaf.query && Object.entries(leaf.query);
    this.cookies = leaf.cookies && Object.entries(leaf.cookies);
    this.countries = leaf.geo && new Set(leaf.geo.map((country) => country.toUpperCase()));
    this.asns = leaf.asn && new Set(leaf.asn);
    this.device = leaf.device;
    this.blocks = leaf.sourceIpCidrs &&
      new IpBlockSet(leaf.sourceIpCidrs.map((cidr) => compileCidr(cidr)));
  }

  /** The first field that does not hold, the cheapest asked first; `undefined` where all hold. */
  failing(facts: RequestFacts): LeafField | undefined {
    if (this.methods !== undefined && (this.methods & methodBit(facts.method)) === 0) {
      return "methods";
    }
    if (this.host !== undefined && this.host !== facts.host) return "host";
    if (this.path !== undefined && !pathHolds(this.path, facts.path)) return "path";
    return this.failingValue(facts) ?? this.failingOrigin(facts);
  }

  private failingValue(facts: RequestFacts): LeafField | undefined {
    if (this.headers?.some(([name, value]) => !headerHas(facts.header(name), value))) {
      return "headers";
    }
    if (this.queries?.some(([name, value]) => !facts.query(name).includes(value))) return "query";
    if (this.cookies?.some(([name, value]) => !facts.cookie(name).includes(value))) {
      return "cookies";
    }
    return undefined;
  }

  private failingOrigin(facts: RequestFacts): LeafField | undefined {
    if (this.blocks !== undefined) {
      const ip = facts.ip();
      if (ip === undefined || !this.blocks.has(ip)) return "sourceIpCidrs";
    }
    if (this.countries !== undefined && !this.countries.has(facts.country() ?? "")) return "geo";
    if (this.asns !== undefined && !this.asns.has(facts.asn() ?? 0)) return "asn";
    return this.device === undefined || this.device === facts.device() ? undefined : "device";
  }
}

function compileCidr(cidr: string) {
  const block = parseCidr(cidr);
  if (block === undefined) throw new TypeError(`Can not compile address block "${cidr}"`);
  return block;
}

/** A whole condition. */
export class ConditionMatcher {
  readonly root: LeafMatcher;
  readonly any: readonly LeafMatcher[] | undefined;
  private readonly not: LeafMatcher | undefined;

  constructor(condition: RuntimeCondition) {
    this.root = new LeafMatcher(condition);
    this.any = condition.any?.map((leaf) => new LeafMatcher(leaf));
    this.not = condition.not && new LeafMatcher(condition.not);
  }

  /** The first field that does not hold; `undefined` where the condition does. */
  failing(facts: RequestFacts): ConditionField | undefined {
    const field = this.root.failing(facts);
    if (field !== undefined) return field;
    if (this.not !== undefined && this.not.failing(facts) === undefined) return "not";
    const { any } = this;
    if (any === undefined) return undefined;
    return any.some((leaf) => leaf.failing(facts) === undefined) ? undefined : "any";
  }

  /** True where the condition's own path, if it names one, matches. */
  holdsForPath(path: string): boolean {
    return this.root.path === undefined || pathHolds(this.root.path, path);
  }

  /** The captures of the root glob, in order. */
  captures(path: string): readonly string[] {
    const matcher = this.root.path;
    return matcher?.type === "glob" ? matcher.glob.capture(path) ?? [] : [];
  }

  /** The names of the captures of the root glob. */
  get captureNames(): readonly string[] {
    return this.root.path?.type === "glob" ? this.root.path.glob.names : [];
  }
}
