/**
 * A `_headers` file of Netlify or Cloudflare as rules: a path on a line of its
 * own, below it indented `Name: value` lines, or `! Name` to remove a header.
 *
 * @module
 */
import type { Condition, Rule } from "../rule_set/mod.ts";
import {
  ImportCollector,
  type ImportFlavor,
  type ImportOptions,
  type ImportResult,
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
} from "./path_pattern.ts";

interface Block {
  readonly source: SourceLine;
  readonly host?: string;
  readonly segments: readonly Segment[];
  /** By lower-case name: the name as first written, and its values. */
  readonly set: Map<string, { readonly name: string; readonly values: string[] }>;
  readonly remove: string[];
  /** Lines that the rules are made of. */
  lines: number;
}

const HEADER = /^([^:\s]+)\s*:\s*(.*)$/;
const REMOVAL = /^!\s*(\S+)$/;

function openBlock(source: SourceLine, flavor: ImportFlavor): Block {
  const text = source.text.trim();
  const absolute = /^(https?):\/\/([^/]+)(\/.*)?$/i.exec(text);
  const contents = { source, set: new Map(), remove: [], lines: 0 };
  if (absolute === null) return { ...contents, segments: readPattern(text) };
  const [, scheme = "", host = "", path = "/"] = absolute;
  if (flavor === "netlify") throw new NoEquivalent("Netlify takes a path only, not a URL");
  if (scheme.toLowerCase() === "http") throw new NoEquivalent("Cloudflare takes https URLs only");
  return { ...contents, host, segments: readPattern(path) };
}

/** Reads one indented line into the block; the rule it would be is checked by itself. */
function readHeader(block: Block, text: string): void {
  const removed = REMOVAL.exec(text)?.[1];
  if (removed !== undefined) {
    block.remove.push(removed);
    return;
  }
  const [, name, value = ""] = HEADER.exec(text) ?? [];
  if (name === undefined) throw new NoEquivalent("The line is no header");
  if (name.toLowerCase() === "basic-auth") {
    throw new NoEquivalent("Basic-Auth is no header of the answer: use a pipeline with a gate");
  }
  if (value === "") throw new NoEquivalent("The header has no value");
  const entry = block.set.get(name.toLowerCase()) ?? { name, values: [] };
  if (entry.values.length > 0 && name.toLowerCase() === "set-cookie") {
    throw new NoEquivalent("A rule sets one Set-Cookie: several cannot be joined");
  }
  entry.values.push(value);
  block.set.set(name.toLowerCase(), entry);
}

function conditionOf(block: Block, used: ReadonlySet<string>): Condition {
  const path = toPathMatch(block.segments, used);
  return { path, ...(block.host === undefined ? {} : { host: block.host }) };
}

function toRules(block: Block, flavor: ImportFlavor): Rule[] {
  const names = flavor === "cloudflare" ? namesOf(block.segments) : [];
  const used = new Set<string>();
  const headers = Object.fromEntries(
    [...block.set.values()].map(({ name, values }) => {
      const rewritten = rewriteReferences(values.join(", "), names, doubleBraces);
      for (const one of rewritten.used) used.add(one);
      return [name, rewritten.text];
    }),
  );
  const id = `headers-${block.source.line}`;
  const rules: Rule[] = [];
  if (block.remove.length > 0) {
    const action = { type: "remove_headers", headers: block.remove } as const;
    rules.push({ id: `${id}-remove`, condition: conditionOf(block, new Set()), action });
  }
  if (block.set.size > 0) {
    const action = { type: "set_headers", headers } as const;
    rules.push({ id, condition: conditionOf(block, used), action });
  }
  return rules;
}

/** A rule set of this line only, which shows whether the line by itself is sound. */
function isSound(
  block: Block,
  source: SourceLine,
  { collector, flavor }: { readonly collector: ImportCollector; readonly flavor: ImportFlavor },
): boolean {
  const probe = new ImportCollector();
  probe.take(source, () => {
    const alone: Block = { ...block, set: new Map(), remove: [] };
    const cookies = block.set.get("set-cookie");
    if (cookies !== undefined) alone.set.set("set-cookie", cookies);
    readHeader(alone, source.text.trim());
    return toRules(alone, flavor);
  });
  const [problem] = probe.result().unsupported;
  if (problem !== undefined) collector.refuse(source, problem.reason);
  return problem === undefined;
}

/** Turns the text of a `_headers` file into a rule set. */
export function importHeaders(text: string, options: ImportOptions = {}): ImportResult {
  const { flavor = "netlify" } = options;
  const collector = new ImportCollector();
  const blocks: Block[] = [];
  let open: Block | undefined;
  for (const [index, line] of text.replace(/^\uFEFF/, "").split(/\r?\n/).entries()) {
    const content = line.trim();
    if (content === "" || content.startsWith("#")) continue;
    const source = { line: index + 1, text: line };
    if (!isPathLine(line)) {
      if (open === undefined) collector.refuse(source, "The header stands below no path");
      else if (isSound(open, source, { collector, flavor })) {
        readHeader(open, content);
        open.lines += 1;
      }
      continue;
    }
    open = undefined;
    try {
      open = openBlock(source, flavor);
      blocks.push(open);
    } catch (error) {
      if (!(error instanceof NoEquivalent)) throw error;
      collector.refuse(source, error.message);
    }
  }
  for (const block of blocks) {
    if (block.lines === 0) continue;
    const taken = collector.take(block.source, () => toRules(block, flavor));
    if (taken.length > 0) collector.count(block.lines);
  }
  return collector.result();
}

/** A path or URL begins a block, however far it is indented; a word without a colon is no header. */
function isPathLine(line: string): boolean {
  return /^\s*(?:\/|https?:\/\/)/i.test(line) || (/^\S/.test(line) && !line.includes(":"));
}
