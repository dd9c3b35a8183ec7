/**
 * A `_redirects` file of Netlify or Cloudflare as rules:
 * `from [query…] to [status[!]] [conditions…]`, one rule a line.
 *
 * On Netlify a rule without `!` gives way to a file, and the status is 301 where
 * missing; on Cloudflare rules come first and the status is 302.
 *
 * @module
 */
import {
  conditionContains,
  conditionsDisjoint,
  conditionSetOf,
} from "../relations/condition_sets.ts";
import { normalizeRule } from "../normalize.ts";
import type { Condition, Rule } from "../types.ts";
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
  readonly host?: string;
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

function readFrom(from: string): Pick<RedirectLine, "host" | "segments"> {
  const absolute = /^https?:\/\/([^/]+)(\/.*)?$/i.exec(from);
  if (absolute === null) return { segments: readPattern(from) };
  return { host: absolute[1] ?? "", segments: readPattern(absolute[2] ?? "/") };
}

function readQuery(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(words.map((word) => {
    const [, name = "", value = ""] = PARAMETER.exec(word) ?? [];
    if (value.startsWith(":")) {
      throw new NoEquivalent(`The value of a query parameter can not be captured: "${word}"`);
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

function readLine(text: string, flavor: ImportFlavor): RedirectLine {
  const [from = "", ...words] = text.trim().split(/\s+/);
  const targetAt = words.findIndex((word) => /^\/|^[A-Za-z][A-Za-z0-9+.-]*:/.test(word));
  const target = words[targetAt];
  if (target === undefined) throw new NoEquivalent("The line names no target");
  const rest = words.slice(targetAt + 1);
  const status = STATUS.exec(rest[0] ?? "");
  return {
    ...readFrom(from),
    query: readQuery(words.slice(0, targetAt)),
    target,
    status: status === null ? DEFAULT_STATUS[flavor] : Number(status[1]),
    isForced: flavor === "cloudflare" || status?.[2] === "!",
    geo: readConditions(status === null ? rest : rest.slice(1)),
  };
}

function toAction(line: RedirectLine, target: string): Rule["action"] {
  const ifNoFile = line.isForced ? {} : { ifNoFile: true };
  if (line.status === REWRITE_STATUS) {
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

/** `/news/*` also takes `/news` itself. */
function toRules(id: string, line: RedirectLine): Rule[] {
  const base = withoutSplat(line.segments);
  if (base === undefined) return [toRule(id, line)];
  const target = line.target.replaceAll(":splat", "");
  return [toRule(`${id}-base`, { ...line, segments: base, target }), toRule(id, line)];
}

const setOf = (rule: Rule) => conditionSetOf(normalizeRule(rule).condition);

/**
 * In svc redirects are asked before rewrites. A redirect that an earlier rewrite
 * takes over whole would come to life: it is refused. One that shares some
 * requests with it is kept and named.
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
    const content = line.replace(/(^|\s)#.*$/, "");
    if (content.trim() === "") continue;
    const source: SourceLine = { line: index + 1, text: line };
    const taken = collector.take(source, () => {
      const rules = toRules(`redirect-${index + 1}`, readLine(content, flavor));
      const rewrite = overtaken(rules, rewrites.slice(0, MAX_COMPARED));
      if (rewrite !== undefined) {
        collector.refuse(
          source,
          `Taken over, but asked before the rewrite "${rewrite.id}", which shares requests with it`,
        );
      }
      return rules;
    });
    rewrites.push(...taken.filter((rule) => rule.action.type === "rewrite"));
  }
  return collector.result();
}
