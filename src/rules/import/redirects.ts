/**
 * A `_redirects` file of Netlify or Cloudflare as rules:
 * `from [query…] to [status[!]] [conditions…]`, one rule a line.
 *
 * On Netlify a rule without `!` gives way to a file, and the status is 301 where
 * missing; on Cloudflare rules come first and the status is 302.
 *
 * @module
 */
import { conditionContains, conditionsDisjoint, conditionSetOf } from "../relations/mod.ts";
import { type Condition, normalizeRule, type Rule } from "../rule_set/mod.ts";
import {
  ImportCollector,
  type ImportFlavor,
  type ImportOptions,
  type ImportResult,
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

interface RedirectLine {
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

const DEFAULT_STATUS: Readonly<Record<ImportFlavor, number>> = { netlify: 301, cloudflare: 302 };
const REWRITE_STATUS = 200;
const STATUS = /^([0-9]{3})(!?)$/;
const PARAMETER = /^([^=/:]+)=(.*)$/;

/** Rewrites that a later redirect is compared with. */
const MAX_COMPARED = 64;

/** Paths that Netlify keeps for itself. */
const RESERVED = /^(?:https?:\/\/[^/]+)?\/\.netlify(?:\/|$)/i;

function readFrom(
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

function readQuery(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(words.map((word) => {
    const [, name = "", value = ""] = PARAMETER.exec(word) ?? [];
    if (value.startsWith(":")) {
      throw new NoEquivalent(`The value of a query parameter cannot be captured: "${word}"`);
    }
    return [name, value];
  }));
}

function readConditions(words: readonly string[]): string[] {
  return words.flatMap((word) => {
    const [, name = word, value = ""] = PARAMETER.exec(word) ?? [];
    if (name.toLowerCase() === "country") return value.split(",");
    throw new NoEquivalent(`A condition on ${name} has no equivalent`);
  });
}

/** Netlify forwards to the same path where a rewrite of `/x/*` names no target. */
function withForward(from: string, words: readonly string[]): readonly string[] {
  const isForward = /^2\d\d!?$/.test(words[0] ?? "") && from.endsWith("/*");
  return isForward ? [`${from.slice(0, -1)}:splat`, ...words] : words;
}

function readLine(text: string, flavor: ImportFlavor): RedirectLine {
  const [from = "", ...given] = text.trim().split(/\s+/);
  const words = flavor === "netlify" ? withForward(from, given) : given;
  const targetAt = words.findIndex((word) => /^\/|^[A-Za-z][A-Za-z0-9+.-]*:/.test(word));
  const target = words[targetAt];
  if (target === undefined) throw new NoEquivalent("The line names no target");
  const rest = words.slice(targetAt + 1);
  const status = STATUS.exec(rest[0] ?? "");
  const geo = readConditions(status === null ? rest : rest.slice(1));
  if (flavor === "cloudflare" && (targetAt > 0 || geo.length > 0)) {
    throw new NoEquivalent("Cloudflare takes no query parameters and conditions");
  }
  return {
    flavor,
    ...readFrom(from, flavor),
    query: readQuery(words.slice(0, targetAt)),
    target,
    status: status === null ? DEFAULT_STATUS[flavor] : Number(status[1]),
    // Netlify applies rules with a country before it looks for a file.
    isForced: flavor === "cloudflare" || status?.[2] === "!" || geo.length > 0,
    geo,
  };
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
function toRules(id: string, line: RedirectLine, flavor: ImportFlavor): Rule[] {
  if (flavor === "cloudflare") return [toRule(id, line)];
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

/** Turns the text of a `_redirects` file into a rule set. */
export function importRedirects(text: string, options: ImportOptions = {}): ImportResult {
  const { flavor = "netlify" } = options;
  const collector = new ImportCollector();
  const rewrites: Rule[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const content = line.replace(/(^|\s)#.*$/, "").replace(/^\uFEFF/, "");
    if (content.trim() === "") continue;
    const source: SourceLine = { line: index + 1, text: line };
    const notes: string[] = [];
    const taken = collector.take(source, () => {
      const read = readLine(content, flavor);
      const rules = toRules(`redirect-${index + 1}`, read, flavor);
      const rewrite = overtaken(rules, rewrites.slice(0, MAX_COMPARED));
      if (rewrite !== undefined) {
        notes.push(`Asked before the rewrite "${rewrite.id}", which shares requests with it`);
      }
      if (read.isHttps) notes.push("Matches http as well: a rule cannot ask for https alone");
      return rules;
    });
    if (taken.length > 0) collector.count();
    for (const note of taken.length > 0 ? notes : []) collector.note(source, note);
    rewrites.push(...taken.filter((rule) => rule.action.type === "rewrite"));
  }
  return collector.result();
}
