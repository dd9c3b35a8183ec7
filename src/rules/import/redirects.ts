/**
 * @module Converts a Netlify or Cloudflare `_redirects` file into rules. Each line is an entry:
 * `from [query…] to [status[!]] [conditions…]`.
 *
 * On Netlify, files take precedence over entries without `!`, and the default status is 301. On
 * Cloudflare, entries take precedence, and the default status is 302.
 */
import {
  ImportCollector,
  type ImportFlavor,
  type ImportOptions,
  type ImportResult,
  NoEquivalent,
} from "./import_result.ts";
import {
  checkQuery,
  DEFAULT_STATUS,
  forwardTarget,
  readFrom,
  RedirectCollector,
  type RedirectLine,
} from "./redirect_rules.ts";

const STATUS = /^([0-9]{3})(!?)$/;
const PARAMETER = /^([^=/:]+)=(.*)$/;

function readQuery(words: readonly string[]): Record<string, string> {
  return checkQuery(Object.fromEntries(words.map((word) => {
    const [, name = "", value = ""] = PARAMETER.exec(word) ?? [];
    return [name, value];
  })));
}

function readConditions(words: readonly string[]): string[] {
  return words.flatMap((word) => {
    const [, name = word, value = ""] = PARAMETER.exec(word) ?? [];
    if (name.toLowerCase() === "country") return value.split(",");
    throw new NoEquivalent(`svc does not support conditions on ${name}`);
  });
}

/** Adds the target to a rewrite of `/x/*` that names none. Netlify then keeps the path. */
function withForward(from: string, words: readonly string[]): readonly string[] {
  const isForward = /^2\d\d!?$/.test(words[0] ?? "") && from.endsWith("/*");
  return isForward ? [forwardTarget(from), ...words] : words;
}

function readLine(text: string, flavor: ImportFlavor): RedirectLine {
  const [from = "", ...given] = text.trim().split(/\s+/);
  if (flavor === "cloudflare" && (given.length < 1 || given.length > 2)) {
    throw new NoEquivalent(
      "Cloudflare expects a path, a target and a status on each line, and ignores other lines",
    );
  }
  const words = flavor === "netlify" ? withForward(from, given) : given;
  const targetAt = words.findIndex((word) => /^\/|^[A-Za-z][A-Za-z0-9+.-]*:/.test(word));
  const target = words[targetAt];
  if (target === undefined) throw new NoEquivalent("The line has no target");
  const rest = words.slice(targetAt + 1);
  const status = STATUS.exec(rest[0] ?? "");
  if (flavor === "cloudflare" && (targetAt > 0 || (rest.length > 0 && status?.[2] !== ""))) {
    throw new NoEquivalent("Cloudflare accepts a number as the status, but no query or condition");
  }
  const geo = readConditions(status === null ? rest : rest.slice(1));
  return {
    flavor,
    ...readFrom(from, flavor),
    query: readQuery(words.slice(0, targetAt)),
    target,
    status: status === null ? DEFAULT_STATUS[flavor] : Number(status[1]),
    // Netlify applies rules with a country condition before it checks for a file.
    isForced: flavor === "cloudflare" || status?.[2] === "!" || geo.length > 0,
    geo,
  };
}

/** Removes comments; only Netlify allows a comment after an entry. */
function withoutComment(line: string, flavor: ImportFlavor): string {
  return line.replace(flavor === "netlify" ? /(^|\s)#.*$/ : /^\s*#.*$/, "");
}

/** Turns the text of a `_redirects` file into a rule set. */
export function importRedirects(text: string, options: ImportOptions = {}): ImportResult {
  const { flavor = "netlify" } = options;
  const collector = new ImportCollector();
  const redirects = new RedirectCollector(collector);
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const content = withoutComment(line.replace(/^\uFEFF/, ""), flavor);
    if (content.trim() === "") continue;
    const source = { line: index + 1, text: line };
    redirects.take(source, `redirect-${index + 1}`, () => readLine(content, flavor));
  }
  return collector.result();
}
