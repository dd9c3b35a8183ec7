/**
 * @module The paths of a Next.js app that the app's server must handle before files or the edge's
 * cache: paths with middleware, and paths in rules in `next.config`. Pure.
 */
import * as z from "zod";
import { MAX_PATTERN_LENGTH } from "../limits.ts";
import { judgePattern } from "../pattern/judge_pattern.ts";

const condition = z.object({ type: z.string(), key: z.string().optional() });

const rule = z.object({
  regex: z.string(),
  internal: z.boolean().optional(),
  has: z.array(condition).optional(),
  missing: z.array(condition).optional(),
});

const rules = z.array(rule).default([]);

const matchers = z.object({ matchers: z.array(z.object({ regexp: z.string() })).optional() });

/** The relevant parts of the manifests in a build. */
const manifestsSchema = z.object({
  /** `routes-manifest.json` */
  routes: z.object({
    redirects: rules,
    headers: rules,
    rewrites: z.union([
      z.array(rule),
      z.object({ beforeFiles: rules, afterFiles: rules, fallback: rules }),
    ]).default([]),
  }).prefault({}),
  /** `middleware-manifest.json`: middleware in the edge runtime. */
  middleware: z.object({ middleware: z.record(z.string(), matchers).default({}) }).prefault({}),
  /** `functions-config-manifest.json`: middleware in the Node runtime, which is `proxy.ts`. */
  functions: z.object({ functions: z.record(z.string(), matchers).default({}) }).prefault({}),
});

type Manifests = z.output<typeof manifestsSchema>;

export interface NextManifests {
  /**
   * Parsed JSON of `routes-manifest.json`. As for the other manifests, `undefined` if the file does
   * not exist.
   */
  readonly routes?: unknown;
  /** Parsed JSON of `server/middleware-manifest.json`. */
  readonly middleware?: unknown;
  /** Parsed JSON of `server/functions-config-manifest.json`. */
  readonly functions?: unknown;
}

export interface NextPaths {
  /**
   * Whether paths have locales. If a path has none, the visitor's language determines the locale.
   */
  readonly hasLocales: boolean;
  readonly basePath: string;
}

/** Paths of requests that the server must handle first. */
export interface NextRules {
  /**
   * Regular expressions (JavaScript) for paths whose responses can depend on more than the URL. The
   * edge must not cache such responses, because it would respond before Next.js evaluates the rule.
   */
  readonly personal: readonly string[];
  /**
   * Patterns (RE2) for paths that the server handles even if `public/` has a file there. Next.js
   * applies middleware, redirects and headers before it serves files.
   */
  readonly beforeFiles: readonly string[];
}

type Rule = z.output<typeof rule>;

/** Matches every path. */
const EVERY_PATH = "^/";

/**
 * Maximum number of patterns. If there are more, a single pattern for all paths replaces them. A
 * manifest can have 200 patterns.
 */
const MAX_PATTERNS = 100;

function middlewarePatterns({ middleware, functions }: Manifests): readonly string[] {
  const own = [...Object.values(middleware.middleware), functions.functions["/_middleware"]];
  return own.flatMap((found) =>
    found === undefined ? [] : found.matchers?.map(({ regexp }) => regexp) ?? [EVERY_PATH]
  );
}

/**
 * Returns whether a rewrite is for intercepting routes. Next.js lists the header of such rewrites
 * in `Vary`.
 */
const isInterception = ({ has = [] }: Rule): boolean =>
  has.some(({ type, key }) => type === "header" && key?.toLowerCase() === "next-url");

function writtenRules({ routes }: Manifests): Record<"before" | "after", readonly Rule[]> {
  const { redirects, headers, rewrites } = routes;
  const written = (list: readonly Rule[]) =>
    list.filter((found) => found.internal !== true && !isInterception(found));
  const [before, after] = Array.isArray(rewrites)
    ? [[], rewrites]
    : [rewrites.beforeFiles, [...rewrites.afterFiles, ...rewrites.fallback]];
  return { before: written([...redirects, ...headers, ...before]), after: written(after) };
}

/** Returns whether a rule depends on anything other than the URL. */
const isPersonal = ({ has = [], missing = [] }: Rule): boolean =>
  [...has, ...missing].some(({ type }) => type === "cookie" || type === "header");

function personalPaths(
  manifests: Manifests,
  { hasLocales, basePath }: NextPaths,
): readonly string[] {
  const middleware = middlewarePatterns(manifests);
  // Middleware sees paths with a locale, even if the request's path does not have one.
  if (hasLocales && middleware.length > 0) return [EVERY_PATH];
  const { before, after } = writtenRules(manifests);
  const personal = [...before, ...after].filter(isPersonal).map(({ regex }) => regex);
  const chosen = hasLocales ? [`^${basePath}/?$`] : [];
  return [...new Set([...middleware, ...personal, ...chosen])];
}

function patternsBeforeFiles(manifests: Manifests): readonly string[] {
  const before = writtenRules(manifests).before.map(({ regex }) => regex);
  const patterns = [...new Set([...middlewarePatterns(manifests), ...before])]
    // Next.js compares paths case-insensitively.
    .map((pattern) => `(?i)${pattern}`);
  const areUsable = patterns.length <= MAX_PATTERNS &&
    patterns.every((pattern) => pattern.length <= MAX_PATTERN_LENGTH) &&
    patterns.every((pattern) => judgePattern(pattern).messages.length === 0);
  return areUsable ? patterns : [EVERY_PATH];
}

/** Reads a build's rules. If a manifest has an unknown format, the rules apply to every path. */
export function nextRules(given: NextManifests, paths: NextPaths): NextRules {
  const parsed = manifestsSchema.safeParse(given);
  if (!parsed.success) return { personal: [EVERY_PATH], beforeFiles: [EVERY_PATH] };
  return {
    personal: personalPaths(parsed.data, paths),
    beforeFiles: patternsBeforeFiles(parsed.data),
  };
}
