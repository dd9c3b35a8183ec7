/**
 * What a redirect of Netlify or Cloudflare says, and the rules that say the same.
 *
 * @module
 */
import { conditionContains, conditionsDisjoint, conditionSetOf } from "../relations/mod.ts";
import { type Condition, normalizeRule, type Rule } from "../rule_set/mod.ts";
import {
  type ImportCollector,
  type ImportFlavor,
  NoEquivalent,
  type SourceLine,
} from "./import_result.ts";
import {
  encodeBraces,
  namesOf,
  readPattern,
  rewriteReferences,
  type Segment,
  toPathMatch,
  withoutSplat,
} from "./path_pattern.ts";

/** A redirect, a rewrite or a proxy, however its file writes it. */
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

/** The status of a redirect that names none. */
export const DEFAULT_STATUS: Readonly<Record<ImportFlavor, number>> = {
  netlify: 301,
  cloudflare: 302,
};
const REWRITE_STATUS = 200;

/** Rewrites that a later redirect is compared with. */
const MAX_COMPARED = 64;

/** Paths that Netlify keeps for itself. */
const RESERVED = /^(?:https?:\/\/[^/]+)?\/\.netlify(?:\/|$)/i;

/** Reads the path or URL that a redirect takes. */
export function readFrom(
  from: string,
  flavor: ImportFlavor,
): Pick<RedirectLine, "host" | "isHttps" | "segments"> {
  if (RESERVED.test(from)) throw new NoEquivalent("Netlify keeps /.netlify for itself");
  const absolute = /^(https?):\/\/([^/]+)(\/.*)?$/i.exec(from);
  if (absolute === null) return { isHttps: false, segments: readPattern(from) };
  const [, scheme = "", host = "", path = "/"] = absolute;
  if (flavor === "cloudflare") throw new NoEquivalent("Cloudflare takes a path only, not a URL");
  if (scheme.toLowerCase() === "http") {
    throw new NoEquivalent("A rule cannot ask for http alone: it would match https too");
  }
  return { host, isHttps: true, segments: readPattern(path) };
}

/** The query of a redirect; every value must be a literal one. */
export function checkQuery(query: Readonly<Record<string, string>>): Record<string, string> {
  for (const [name, value] of Object.entries(query)) {
    if (!value.startsWith(":")) continue;
    throw new NoEquivalent(`The value of a query parameter cannot be captured: "${name}=${value}"`);
  }
  return { ...query };
}

/** The target of `/x/*` without one, which Netlify forwards to the same path. */
export function forwardTarget(from: string): string {
  return `${from.slice(0, -1)}:splat`;
}

function toAction(line: RedirectLine, target: string): Rule["action"] {
  const ifNoFile = line.isForced ? {} : { ifNoFile: true };
  if (line.status === REWRITE_STATUS) {
    if (line.flavor === "cloudflare" && !target.startsWith("/")) {
      throw new NoEquivalent("Cloudflare proxies to a path of the site only");
    }
    const external = /^https?:/i.test(target) ? { external: true } : {};
    return { type: "rewrite", target, ...external, ...ifNoFile };
  }
  if (line.status < 300 || line.status > 399) {
    throw new NoEquivalent(`A page with the status ${line.status} has no equivalent`);
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

/** The same path with a slash at its end, or without the one that it has. */
function otherEnding(segments: readonly Segment[]): Segment[] | undefined {
  const last = segments.at(-1);
  if (last?.type === "text" && last.text === "") {
    return segments.length > 1 ? segments.slice(0, -1) : undefined;
  }
  return [...segments, { type: "text", text: "" }];
}

/**
 * On Netlify `/news/*` also takes `/news` itself, and a path is the same with
 * and without a slash at its end; on Cloudflare a path is taken as it is written.
 */
function toRules(id: string, line: RedirectLine): Rule[] {
  if (line.flavor === "cloudflare") return [toRule(id, line)];
  const base = withoutSplat(line.segments);
  if (base !== undefined) {
    const target = line.target.replaceAll(":splat", "");
    return [toRule(`${id}-base`, { ...line, segments: base, target }), toRule(id, line)];
  }
  const other = otherEnding(line.segments);
  const isSplat = line.segments.at(-1)?.type === "splat";
  if (isSplat || other === undefined || leadsToItself(line)) return [toRule(id, line)];
  return [toRule(id, line), toRule(`${id}-slash`, { ...line, segments: other })];
}

/** `/a /a/` and its kind change the ending alone: Netlify never applies them to their own target. */
function leadsToItself({ segments, target }: RedirectLine): boolean {
  const path = `/${
    segments.map((one) => one.type === "text" ? one.text : `:${one.name}`).join("/")
  }`;
  return path.replace(/\/$/, "") === target.replace(/\/$/, "");
}

const setOf = (rule: Rule) => conditionSetOf(normalizeRule(rule).condition);

/**
 * In svc, redirects run before rewrites. A redirect that an earlier rewrite
 * hides completely would take effect here, so it is refused. One that shares
 * only some requests with a rewrite is kept and reported.
 */
function overtaken(rules: readonly Rule[], rewrites: readonly Rule[]): Rule | undefined {
  for (const rule of rules.filter(({ action }) => action.type === "redirect")) {
    const set = setOf(rule);
    const meeting = rewrites.filter((rewrite) => !conditionsDisjoint(setOf(rewrite), set));
    const whole = meeting.find((rewrite) => conditionContains(setOf(rewrite), set));
    if (whole !== undefined) {
      throw new NoEquivalent(`The rewrite "${whole.id}" above takes all of its requests`);
    }
    if (meeting[0] !== undefined) return meeting[0];
  }
  return undefined;
}

/** Takes the redirects of one file, in their order. */
export class RedirectCollector {
  private readonly rewrites: Rule[] = [];

  constructor(private readonly collector: ImportCollector) {}

  /** Takes what `read` finds on a line, or reports why it has no equivalent. */
  take(source: SourceLine, id: string, read: () => RedirectLine): void {
    const notes: string[] = [];
    const taken = this.collector.take(source, () => {
      const line = read();
      const rules = toRules(id, line);
      const rewrite = overtaken(rules, this.rewrites.slice(0, MAX_COMPARED));
      if (rewrite !== undefined) {
        notes.push(`Asked before the rewrite "${rewrite.id}", which shares requests with it`);
      }
      if (line.isHttps) notes.push("Matches http as well: a rule cannot ask for https alone");
      return rules;
    });
    if (taken.length === 0) return;
    this.collector.count();
    for (const note of notes) this.collector.note(source, note);
    this.rewrites.push(...taken.filter((rule) => rule.action.type === "rewrite"));
  }
}
