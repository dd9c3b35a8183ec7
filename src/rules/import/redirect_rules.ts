/** @module Converts a Netlify or Cloudflare redirect into equivalent rules. */
import {
  conditionContains,
  conditionsDisjoint,
  conditionSetOf,
} from "../relations/condition_sets.ts";
import type { Condition, Rule } from "../rule_set/types.ts";
import { normalizeRule } from "../rule_set/normalize.ts";
import {
  type ImportCollector,
  type ImportFlavor,
  NoEquivalent,
  type SourceLine,
} from "./import_result.ts";
import {
  checkReferences,
  encodeBraces,
  namesOf,
  readPattern,
  rewriteReferences,
  type Segment,
  toPathMatch,
  withoutCaptures,
  withoutSplat,
} from "./path_pattern.ts";

/** A redirect, rewrite or proxy in a form that all file formats share. */
export interface RedirectLine {
  readonly flavor: ImportFlavor;
  readonly host?: string;
  readonly isHttps: boolean;
  readonly segments: readonly Segment[];
  readonly query: Readonly<Record<string, string>>;
  readonly target: string;
  readonly status: number;
  readonly isForced: boolean;
  readonly geo: readonly string[];
}

/** A redirect's default status. */
export const DEFAULT_STATUS: Readonly<Record<ImportFlavor, number>> = {
  netlify: 301,
  cloudflare: 302,
};
const REWRITE_STATUS = 200;

/** Maximum number of rewrites to compare a later redirect with. */
const MAX_COMPARED = 64;

/** Paths that Netlify reserves. */
const RESERVED = /^(?:https?:\/\/[^/]+)?\/\.netlify(?:\/|$)/i;
const NETLIFY_FUNCTION = /\/\.netlify\/(?:builders|functions)\//i;

/**
 * Redirects from a folder to its index page. Cloudflare ignores these redirects as loops, because
 * it serves `/index.html` at the folder itself.
 */
const FOLDER = /\/\*?$/;
const FOLDER_PAGE = /^\/(?:.*\/)?index(?:\.html)?$/;

/** Statuses that Cloudflare accepts. */
const CLOUDFLARE_STATUSES: ReadonlySet<number> = new Set([200, 301, 302, 303, 307, 308]);

const FALLBACK_NOTE = "Cloudflare ignores this line as a loop. svc uses it as the fallback of a " +
  "single-page app, for paths without a file";
const NO_FINAL_SLASH_NOTE = "A path that ends with a slash is not redirected: the target would " +
  "have a slash before the text after :splat";

/** Reads the source path or URL of a redirect. */
export function readFrom(
  from: string,
  flavor: ImportFlavor,
): Pick<RedirectLine, "host" | "isHttps" | "segments"> {
  if (RESERVED.test(from)) throw new NoEquivalent("Netlify reserves /.netlify");
  const absolute = /^(https?):\/\/([^/]+)(\/.*)?$/i.exec(from);
  if (absolute === null) return { isHttps: false, segments: readPattern(from, flavor) };
  const [, scheme = "", host = "", path = "/"] = absolute;
  if (flavor === "cloudflare") throw new NoEquivalent("Cloudflare accepts a path, not a URL");
  if (scheme.toLowerCase() === "http") {
    throw new NoEquivalent("A rule cannot match http only: it would match https too");
  }
  return { host, isHttps: true, segments: readPattern(path, flavor) };
}

/** Checks that all query values of a redirect are literal. */
export function checkQuery(query: Readonly<Record<string, string>>): Record<string, string> {
  for (const [name, value] of Object.entries(query)) {
    if (!value.startsWith(":")) continue;
    throw new NoEquivalent(`svc cannot capture the value of a query parameter: "${name}=${value}"`);
  }
  return { ...query };
}

/** Returns the default target of `/x/*`, which Netlify forwards to the same path. */
export function forwardTarget(from: string): string {
  return `${from.slice(0, -1)}:splat`;
}

/** Rejects a target that has no equivalent in svc. */
function checkTarget({ target, segments }: RedirectLine): void {
  if (RESERVED.test(target)) {
    throw new NoEquivalent(
      NETLIFY_FUNCTION.test(target)
        ? "The target is a Netlify function: move the function to functions/ and call it from " +
          "a pipeline (docs/functions.md)"
        : "The target is a Netlify service, which svc does not have",
    );
  }
  checkReferences(target, segments);
}

function toAction(line: RedirectLine, target: string): Rule["action"] {
  const ifNoFile = line.isForced ? {} : { ifNoFile: true };
  if (line.status === REWRITE_STATUS) {
    if (line.flavor === "cloudflare" && !target.startsWith("/")) {
      throw new NoEquivalent("Cloudflare proxies only to a path on the site");
    }
    const external = /^https?:/i.test(target) ? { external: true } : {};
    return { type: "rewrite", target, ...external, ...ifNoFile };
  }
  if (line.status === 404) {
    throw new NoEquivalent(
      "A rule cannot set the 404 page: name the page 404.html, and svc serves it for all " +
        "paths without a response",
    );
  }
  if (line.status < 300 || line.status > 399) {
    throw new NoEquivalent(`svc does not support custom pages for the status ${line.status}`);
  }
  return { type: "redirect", target, statusCode: line.status, ...ifNoFile };
}

function toRule(id: string, line: RedirectLine): Rule {
  const { segments, host, query, geo } = line;
  const { text, used } = rewriteReferences(line.target, namesOf(segments), encodeBraces);
  const condition: Condition = {
    path: toPathMatch(segments, used),
    ...(host === undefined ? {} : { host }),
    ...(Object.keys(query).length === 0 ? {} : { query }),
    ...(geo.length === 0 ? {} : { geo: geo.map((country) => country.toUpperCase()) }),
  };
  return { id, condition, action: toAction(line, text) };
}

/** Returns the same path with a trailing slash added or removed. */
function otherEnding(segments: readonly Segment[]): Segment[] | undefined {
  const last = segments.at(-1);
  if (last?.type === "text" && last.text === "") {
    return segments.length > 1 ? segments.slice(0, -1) : undefined;
  }
  return [...segments, { type: "text", text: "" }];
}

interface ConvertedLine {
  readonly rules: readonly Rule[];
  readonly notes: readonly string[];
}

/** Creates the rules for a Cloudflare redirect. The path is taken literally. */
function cloudflareRules(id: string, line: RedirectLine): ConvertedLine {
  const { status, segments, target } = line;
  if (!CLOUDFLARE_STATUSES.has(status)) {
    throw new NoEquivalent(
      `Cloudflare ignores the status ${status}: it accepts 200, 301, 302, 303, 307 and 308`,
    );
  }
  const isLoop = FOLDER.test(pathText(segments)) && FOLDER_PAGE.test(target);
  if (!isLoop) return { rules: [toRule(id, line)], notes: [] };
  if (status !== REWRITE_STATUS || segments.at(-1)?.type !== "splat") {
    throw new NoEquivalent("Cloudflare ignores this line as a loop");
  }
  return { rules: [toRule(id, { ...line, isForced: false })], notes: [FALLBACK_NOTE] };
}

/**
 * Matches `:splat` when it is combined with other text in its segment, where its value cannot be
 * empty.
 */
const PARTIAL_SPLAT = /[^/=]:splat(?![A-Za-z0-9_])|:splat[^/?#&A-Za-z0-9_]/;

/** Limits a rule to paths below the folder that do not end with a slash. */
function withoutFinalSlash(rule: Rule, folder: readonly Segment[]): Rule {
  const below: Segment = { type: "pattern", glob: "**?", names: [] };
  const path = toPathMatch([...withoutCaptures(folder), below], new Set());
  return { ...rule, condition: { ...rule.condition, any: [{ path }] } };
}

/**
 * Creates the rules for a Netlify redirect. On Netlify, `/news/*` also matches `/news` itself, and
 * a trailing slash makes no difference.
 */
function netlifyRules(id: string, line: RedirectLine): ConvertedLine {
  const { segments, target } = line;
  const rule = toRule(id, line);
  if (segments.at(-1)?.type === "splat" && PARTIAL_SPLAT.test(target)) {
    const rules = [withoutFinalSlash(rule, segments.slice(0, -1))];
    return { rules, notes: [NO_FINAL_SLASH_NOTE] };
  }
  const base = withoutSplat(segments);
  if (base !== undefined) {
    const atBase = {
      ...line,
      segments: base,
      target: target.replace(/:splat(?![A-Za-z0-9_])/g, ""),
    };
    return { rules: [toRule(`${id}-base`, atBase), rule], notes: [] };
  }
  const other = otherEnding(segments);
  const isSplat = segments.at(-1)?.type === "splat";
  if (isSplat || other === undefined || leadsToItself(line)) return { rules: [rule], notes: [] };
  return { rules: [rule, toRule(`${id}-slash`, { ...line, segments: other })], notes: [] };
}

function toRules(id: string, line: RedirectLine): ConvertedLine {
  checkTarget(line);
  return line.flavor === "cloudflare" ? cloudflareRules(id, line) : netlifyRules(id, line);
}

/**
 * Returns the path as written in its file. Wildcards combined with text are written as in a glob.
 */
function pathText(segments: readonly Segment[]): string {
  const texts = segments.map((one) => {
    if (one.type === "text") return one.text;
    if (one.type === "pattern") return one.glob;
    return one.type === "splat" ? "*" : `:${one.name}`;
  });
  return `/${texts.join("/")}`;
}

/**
 * Returns whether an entry changes only the trailing slash, such as `/a /a/`. Netlify never applies
 * such entries to their own target.
 */
function leadsToItself({ segments, target }: RedirectLine): boolean {
  return pathText(segments).replace(/\/$/, "") === target.replace(/\/$/, "");
}

const setOf = (rule: Rule) => conditionSetOf(normalizeRule(rule).condition);

/**
 * Returns an earlier rewrite that a redirect partly overlaps, to be reported. In svc, redirects run
 * before rewrites. A redirect that an earlier rewrite hides completely would nevertheless take
 * effect here, so it is rejected.
 */
function overtaken(rules: readonly Rule[], rewrites: readonly Rule[]): Rule | undefined {
  for (const rule of rules.filter(({ action }) => action.type === "redirect")) {
    const set = setOf(rule);
    const meeting = rewrites.filter((rewrite) => !conditionsDisjoint(setOf(rewrite), set));
    const whole = meeting.find((rewrite) => conditionContains(setOf(rewrite), set));
    if (whole !== undefined) {
      throw new NoEquivalent(`The rewrite "${whole.id}" above matches all of its requests`);
    }
    if (meeting[0] !== undefined) return meeting[0];
  }
  return undefined;
}

/** Adds the redirects of one file, in order. */
export class RedirectCollector {
  readonly #rewrites: Rule[] = [];

  readonly #collector: ImportCollector;

  constructor(collector: ImportCollector) {
    this.#collector = collector;
  }

  /** Adds the result of `read` for a line, or reports why it has no equivalent. */
  take(source: SourceLine, id: string, read: () => RedirectLine): void {
    const notes: string[] = [];
    const taken = this.#collector.take(source, () => {
      const line = read();
      const { rules, notes: remarks } = toRules(id, line);
      notes.push(...remarks);
      const rewrite = overtaken(rules, this.#rewrites.slice(0, MAX_COMPARED));
      if (rewrite !== undefined) {
        notes.push(
          `Applies before the rewrite "${rewrite.id}", which matches some of the same requests`,
        );
      }
      if (line.isHttps) notes.push("Matches http as well: a rule cannot match https only");
      return rules;
    });
    if (taken.length === 0) return;
    this.#collector.count();
    for (const note of notes) this.#collector.note(source, note);
    this.#rewrites.push(...taken.filter((rule) => rule.action.type === "rewrite"));
  }
}
