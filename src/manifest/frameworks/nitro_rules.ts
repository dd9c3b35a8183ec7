/**
 * @module Reads the route rules of Nitro and Nuxt from a built server, and passes on those that the
 * edge must apply. Nitro's Node server does not support `isr`, and does not apply rules to the
 * paths of files.
 */
import type { Expression, ObjectExpression } from "acorn";
import { MAX_REVALIDATE_SECONDS } from "../limits.ts";
import type { BuiltOutput, FoundRoute, FoundServer } from "./types.ts";

/** The part of a route rule that the edge uses. */
interface NitroRule {
  /** A path with `*`, `**` and `:name`, as Nitro matches it. */
  readonly path: string;
  readonly isr?: unknown;
  /** Whether the rule is a `redirect` or `proxy` rule, which take precedence over files. */
  readonly leads: boolean;
  /** Names of header fields that the rule sets. */
  readonly headers: readonly string[];
}

type Values = Readonly<Record<string, unknown>>;

const isValues = (value: unknown): value is Values => typeof value === "object" && value !== null;

/** Maximum number of rules that are read from a build. */
const MAX_RULES = 1000;

/** Maximum number of routes for rules. The manifest also needs room for other routes. */
const MAX_PAGE_ROUTES = 150;

/** Matches the base path of a Nitro 2 server's pages. The server's rules omit this path. */
const BASE_2 = /["']?\bbaseURL\b["']?\s*:\s*["'](\/[^"']*?)\/?["']/;

/** Matches the start of Nitro 2's rules, minified or not. */
const RULES_2 = /["']?\brouteRules\b["']?\s*:\s*(?=\{)/g;

/** Matches the start of each Nitro 3 rule. Each rule has one kind and one path. */
const RULE_3 = /\{\s*name\s*:\s*["'](?:isr|redirect|proxy|headers|cors)["']\s*,\s*route\s*:/g;

/** Returns the server files in which Nitro may store its rules, most likely first. */
function rulesFiles({ paths }: BuiltOutput, directory: string): string[] {
  const folder = directory === "." ? "" : `${directory}/`;
  const rank = (path: string) =>
    path.endsWith("/nitro.mjs") ? 0 : path === `${folder}index.mjs` ? 1 : 2;
  return paths.filter((path) =>
    path.startsWith(folder) && path.endsWith(".mjs") && !path.includes("node_modules/")
  ).sort((left, right) => rank(left) - rank(right));
}

/** Returns the value of a literal, or `undefined` for anything else, such as a function. */
function valueOf(node: Expression): unknown {
  switch (node.type) {
    case "Literal":
      return node.value;
    case "TemplateLiteral":
      return node.expressions.length === 0 ? node.quasis[0]?.value.cooked : undefined;
    case "UnaryExpression":
      // `!0` and `!1` are minified `true` and `false`.
      return node.operator === "!" ? !valueOf(node.argument) : undefined;
    case "ObjectExpression":
      return valuesOf(node);
    default:
      return undefined;
  }
}

function valuesOf({ properties }: ObjectExpression): Values {
  const values: Record<string, unknown> = Object.create(null);
  for (const property of properties) {
    if (property.type !== "Property" || property.computed) continue;
    const { key, value } = property;
    const name = key.type === "Identifier" ? key.name : String(valueOf(key as Expression));
    values[name] = valueOf(value as Expression);
  }
  return values;
}

/** Reads the literal that begins at the start or end of each match of a pattern. */
async function readLiterals(
  text: string,
  { pattern, at }: { readonly pattern: RegExp; readonly at: "start" | "end" },
): Promise<readonly Values[]> {
  const matches = [...text.matchAll(pattern)].slice(0, MAX_RULES);
  if (matches.length === 0) return [];
  const { parseExpressionAt } = await import("acorn");
  return matches.flatMap((match) => {
    const position = match.index + (at === "end" ? match[0].length : 0);
    try {
      const value = valueOf(parseExpressionAt(text, position, { ecmaVersion: "latest" }));
      return isValues(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}

const namesOf = (value: unknown): string[] => isValues(value) ? Object.keys(value) : [];

/** Returns the rules of Nitro 2, which are in a single table, by path. */
function rulesOfTable(table: Values): NitroRule[] {
  return Object.entries(table).filter(([path, rule]) => path.startsWith("/") && isValues(rule))
    .map(([path, rule]) => {
      const { isr, redirect, proxy, headers } = rule as Values;
      const leads = isValues(redirect) || isValues(proxy);
      return { path, isr, leads, headers: namesOf(headers) };
    });
}

/** Returns a rule of Nitro 3, which has a separate object for each kind of rule on each path. */
function ruleOfKind({ name, route: path, options }: Values): NitroRule[] {
  if (typeof path !== "string") return [];
  const leads = name === "redirect" || name === "proxy";
  const headers = name === "headers" ? namesOf(options) : name === "cors" ? ["cors"] : [];
  return [{ path, leads, headers, ...(name === "isr" ? { isr: options } : {}) }];
}

/** Reads the rules in a built server. Returns an empty list if there are none. */
export async function readNitroRules(
  output: BuiltOutput,
  directory: string,
): Promise<readonly NitroRule[]> {
  for (const path of rulesFiles(output, directory)) {
    const text = await output.readText(path) ?? "";
    const [table] = await readLiterals(text, { pattern: RULES_2, at: "end" });
    if (table !== undefined && Object.keys(table).every((key) => key.startsWith("/"))) {
      const base = BASE_2.exec(text)?.[1]?.replace(/\/$/, "") ?? "";
      return rulesOfTable(table).map((rule) => ({ ...rule, path: base + rule.path }));
    }
    const kinds = await readLiterals(text, { pattern: RULE_3, at: "start" });
    if (kinds.length > 0) return kinds.flatMap(ruleOfKind);
  }
  return [];
}

function segmentPattern(segment: string): string {
  if (segment === "*" || segment.startsWith(":")) return "/[^/]+";
  return `/${encodeURI(segment).replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`;
}

/** Converts a Nitro path to a pattern for URL paths. `/blog/**` also applies to `/blog`. */
export function patternOf(path: string): string {
  const segments = path.split("/").filter((segment) => segment !== "");
  const wild = segments.findIndex((segment) => segment.startsWith("**"));
  const fixed = wild < 0 ? segments : segments.slice(0, wild);
  return `^${fixed.map(segmentPattern).join("")}${wild < 0 ? "/?$" : "(?:/.*)?$"}`;
}

/**
 * Returns a number that is higher for paths that Nitro prefers: fixed paths before patterns, and
 * long paths before short ones.
 */
function precision(path: string): number {
  const segments = path.split("/").filter((segment) => segment !== "");
  const kind = path.includes("**") ? 0 : /[*:]/.test(path) ? 1 : 2;
  return kind * 100 + Math.min(segments.length, 99);
}

/**
 * Returns the value of `isr` in seconds: 0 for pages that are never stored, or `undefined` if `isr`
 * is not set.
 */
function isrSeconds(isr: unknown): number | undefined {
  const asked = isValues(isr) ? isr.expiration ?? true : isr;
  if (isr === undefined || isr === null) return undefined;
  if (isr === false) return 0;
  // In Nitro, `true` and an expiration of `false` mean "until the next deployment".
  const seconds = typeof asked === "number" ? Math.floor(asked) : MAX_REVALIDATE_SECONDS;
  return Math.min(Math.max(seconds, 0), MAX_REVALIDATE_SECONDS);
}

function routesOf(rules: readonly NitroRule[]): readonly FoundRoute[] {
  return rules.flatMap(({ path, isr }) => {
    const revalidate = isrSeconds(isr);
    if (revalidate === undefined) return [];
    return [{ pattern: patternOf(path), revalidate, precision: precision(path) }];
  });
}

/** Returns the URL paths of the files in a folder. */
function urlPaths({ paths }: BuiltOutput, client: string): string[] {
  return paths.filter((path) => path.startsWith(`${client}/`)).map((path) =>
    encodeURI(path.slice(client.length)).replace(/(?:\/index)?\.html$/, "") || "/"
  );
}

/**
 * Folders in which file names contain a hash of the content. The edge already treats these files as
 * immutable.
 */
const HASHED = /^\/(?:_nuxt|_build\/assets)(?:\/|$)/;

/** Converts rules for the manifest, and reports rules that have no effect. */
export function carryOut(
  rules: readonly NitroRule[],
  { output, client }: { readonly output: BuiltOutput; readonly client: string },
): Pick<FoundServer, "beforeFiles" | "routes" | "notes"> {
  const files = urlPaths(output, client);
  const holdsForFile = ({ path }: NitroRule) => {
    const pattern = new RegExp(patternOf(path));
    return files.some((file) => pattern.test(file));
  };
  const beforeFiles = rules.filter((rule) => rule.leads && holdsForFile(rule))
    .map(({ path }) => patternOf(path));
  const unheard = rules.filter((rule) =>
    rule.headers.length > 0 && !HASHED.test(rule.path) && holdsForFile(rule)
  ).map(({ path }) => `"${path}"`);
  const routes = routesOf(rules);
  return {
    ...(beforeFiles.length === 0 ? {} : { beforeFiles }),
    routes: routes.slice(0, MAX_PAGE_ROUTES),
    notes: [
      ...(unheard.length === 0 ? [] : [
        `The headers in routeRules ${unheard.join(", ")} apply to the server's responses, ` +
        "not to files: write set_headers rules for files in svc.rules.toml",
      ]),
      ...(routes.length <= MAX_PAGE_ROUTES ? [] : [
        `Only ${MAX_PAGE_ROUTES} of ${routes.length} routeRules with isr apply: ` +
        "write fewer, with ** in their paths",
      ]),
    ],
  };
}
