/** @module Converts the headers that Netlify or Cloudflare sets for a path into rules. */
import type { Condition, LeafCondition, Rule } from "../rule_set/types.ts";
import { CLOUDFLARE_MAX_BLOCKS, joinHeaders } from "./cloudflare_headers.ts";
import { cloudflareCondition, type HeaderBlock } from "./header_block.ts";
import {
  ImportCollector,
  type ImportFlavor,
  NoEquivalent,
  type SourceLine,
} from "./import_result.ts";
import {
  doubleBraces,
  namesOf,
  readPattern,
  rewriteReferences,
  type Segment,
  toPathMatch,
  withoutCaptures,
} from "./path_pattern.ts";

const HEADER = /^([^:\s]+)\s*:\s*(.*)$/;
const REMOVAL = /^!\s*(\S+)$/;
const CASE_NOTE =
  "Netlify ignores the case of the path. svc matches it as written and in lower case";

/** Fields that only control the other host's cache. */
const HOST_CACHE =
  /^(?:netlify|cloudflare|vercel)-cdn-cache-control$|^netlify-(?:cache-tag|vary)$|^cache-tag$/;

/** Merges repeated slashes and repeated wildcards at the end, which Netlify treats as one. */
const mergeRepeats = (path: string, flavor: ImportFlavor): string =>
  flavor === "cloudflare" ? path : path.replace(/\/{2,}/g, "/").replace(/(?:\/\*)+$/, "/*");

function openBlock(
  source: SourceLine,
  { id, path: text }: { readonly id: string; readonly path: string },
  flavor: ImportFlavor,
): HeaderBlock {
  const dialect = flavor === "netlify" ? "netlify-headers" : flavor;
  const absolute = /^(https?):\/\/([^/]+)(\/.*)?$/i.exec(text);
  const contents = { id, source, set: new Map(), remove: [], lines: 0 };
  if (absolute === null) {
    return { ...contents, segments: readPattern(mergeRepeats(text, flavor), dialect) };
  }
  const [, scheme = "", host = "", path = "/"] = absolute;
  if (flavor === "netlify") throw new NoEquivalent("Netlify accepts a path, not a URL");
  if (scheme.toLowerCase() === "http") throw new NoEquivalent("Cloudflare accepts only https URLs");
  return { ...contents, host, segments: readPattern(path, dialect) };
}

/** Reads one indented line into the block; the resulting rule is checked elsewhere. */
function readHeader(block: HeaderBlock, source: SourceLine, text: string): void {
  const removed = REMOVAL.exec(text)?.[1];
  if (removed !== undefined) {
    block.remove.push(removed);
    return;
  }
  const [, name, value = ""] = HEADER.exec(text) ?? [];
  if (name === undefined) throw new NoEquivalent("The line is not a header");
  const lower = name.toLowerCase();
  if (lower === "basic-auth") {
    throw new NoEquivalent("Basic-Auth is not a response header: use a pipeline with a gate");
  }
  if (HOST_CACHE.test(lower)) {
    throw new NoEquivalent("The header controls that host's cache: write a cache rule");
  }
  if (value === "") throw new NoEquivalent("The header has no value");
  const entry = block.set.get(lower) ?? { name, values: [], sources: [] };
  if (entry.values.length > 0 && lower === "set-cookie") {
    throw new NoEquivalent("A rule sets one Set-Cookie header: several cannot be joined");
  }
  entry.values.push(value);
  entry.sources.push(source);
  block.set.set(lower, entry);
}

const lowerCase = (segments: readonly Segment[]): Segment[] =>
  segments.map((segment) => {
    if (segment.type === "text") return { ...segment, text: segment.text.toLowerCase() };
    return segment.type === "pattern" ? { ...segment, glob: segment.glob.toLowerCase() } : segment;
  });

const END: Segment = { type: "text", text: "" };

/**
 * Returns the path with and without a trailing slash, which Netlify treats as equal. There,
 * `/admin/*` also matches `/admin`.
 */
function withBothEndings(segments: readonly Segment[]): (readonly Segment[])[] {
  const last = segments.at(-1);
  if (last?.type === "text" && last.text === "") {
    const open = segments.slice(0, -1);
    return open.length === 0 ? [segments] : [open, segments];
  }
  if (last?.type === "splat") {
    const folder = segments.slice(0, -1);
    return folder.length === 0 ? [segments] : [folder, segments];
  }
  return [segments, [...segments, END]];
}

function netlifyCondition(segments: readonly Segment[]): Condition {
  const spellings = isLowerCase(segments) ? [segments] : [segments, lowerCase(segments)];
  const leaves = spellings.flatMap(withBothEndings).map((one): LeafCondition => ({
    path: toPathMatch(withoutCaptures(one), new Set()),
  }));
  const [only, ...others] = leaves;
  return others.length === 0 && only !== undefined ? only : { any: leaves };
}

function isLowerCase(segments: readonly Segment[]): boolean {
  return JSON.stringify(segments) === JSON.stringify(lowerCase(segments));
}

function conditionOf(block: HeaderBlock, flavor: ImportFlavor, used?: ReadonlySet<string>) {
  return flavor === "netlify" ? netlifyCondition(block.segments) : cloudflareCondition(block, used);
}

function toRules(block: HeaderBlock, flavor: ImportFlavor): Rule[] {
  const names = flavor === "cloudflare" ? namesOf(block.segments) : [];
  const used = new Set<string>();
  const headers = Object.fromEntries(
    [...block.set.values()].map(({ name, values }) => {
      const rewritten = rewriteReferences(values.join(", "), names, doubleBraces);
      for (const one of rewritten.used) used.add(one);
      return [name, rewritten.text];
    }),
  );
  const { id } = block;
  const rules: Rule[] = [];
  if (block.remove.length > 0) {
    const action = { type: "remove_headers", headers: block.remove } as const;
    rules.push({ id: `${id}-remove`, condition: conditionOf(block, flavor), action });
  }
  if (block.set.size > 0) {
    const action = { type: "set_headers", headers } as const;
    rules.push({ id, condition: conditionOf(block, flavor, used), action });
  }
  return rules;
}

/** Collects the headers of one file. Call `path()`, then `header()` for each of its lines. */
export class HeaderCollector {
  readonly #blocks: HeaderBlock[] = [];
  #open: HeaderBlock | undefined;

  readonly #collector: ImportCollector;
  readonly #flavor: ImportFlavor;

  constructor(collector: ImportCollector, flavor: ImportFlavor) {
    this.#collector = collector;
    this.#flavor = flavor;
  }

  /** Begins a path. Its rules get the ID `id`. Returns false if the path has no equivalent. */
  path(source: SourceLine, block: { readonly id: string; readonly path: string }): boolean {
    this.#open = undefined;
    try {
      if (this.#flavor === "cloudflare" && this.#blocks.length >= CLOUDFLARE_MAX_BLOCKS) {
        throw new NoEquivalent(
          `Cloudflare uses only the first ${CLOUDFLARE_MAX_BLOCKS} paths`,
        );
      }
      this.#open = openBlock(source, block, this.#flavor);
      this.#blocks.push(this.#open);
      return true;
    } catch (error) {
      if (!(error instanceof NoEquivalent)) throw error;
      this.#collector.refuse(source, error.message);
      return false;
    }
  }

  /** Adds one of the path's lines: `Name: value` or `! Name`. */
  header(source: SourceLine, text: string): void {
    if (this.#open === undefined) {
      this.#collector.refuse(source, "The header belongs to no path");
    } else if (this.#isSound(this.#open, source, text)) {
      readHeader(this.#open, source, text);
      this.#open.lines += 1;
    }
  }

  /** Passes the rules for all paths to the collector. */
  finish(): void {
    const extras = this.#flavor === "cloudflare" ? joinHeaders(this.#blocks, this.#collector) : [];
    for (const block of this.#blocks) {
      if (block.lines === 0) continue;
      const more = extras.filter(({ after }) => after === block).map(({ rule }) => rule);
      const taken = this.#collector.take(
        block.source,
        () => [...toRules(block, this.#flavor), ...more],
      );
      if (taken.length === 0) continue;
      this.#collector.count(block.lines);
      if (this.#flavor === "netlify" && !isLowerCase(block.segments)) {
        this.#collector.note(block.source, CASE_NOTE);
      }
    }
  }

  /** Returns whether a header is valid by itself. Checks a rule set with only this header. */
  #isSound(block: HeaderBlock, source: SourceLine, text: string): boolean {
    const probe = new ImportCollector();
    probe.take(source, () => {
      const alone: HeaderBlock = { ...block, set: new Map(), remove: [] };
      const cookies = block.set.get("set-cookie");
      if (cookies !== undefined) {
        alone.set.set("set-cookie", { ...cookies, values: [...cookies.values], sources: [] });
      }
      readHeader(alone, source, text);
      return toRules(alone, this.#flavor);
    });
    const [problem] = probe.result().unsupported;
    if (problem !== undefined) this.#collector.refuse(source, problem.reason);
    return problem === undefined;
  }
}
