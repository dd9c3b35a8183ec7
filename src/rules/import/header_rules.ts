/**
 * The headers that Netlify or Cloudflare sets for a path, and the rules that do the same.
 *
 * @module
 */
import type { Condition, Rule } from "../rule_set/mod.ts";
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
} from "./path_pattern.ts";

/** A path with its headers. */
interface Block {
  /** Of its rules. */
  readonly id: string;
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

function openBlock(
  source: SourceLine,
  { id, path: text }: { readonly id: string; readonly path: string },
  flavor: ImportFlavor,
): Block {
  const absolute = /^(https?):\/\/([^/]+)(\/.*)?$/i.exec(text);
  const contents = { id, source, set: new Map(), remove: [], lines: 0 };
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
  const { id } = block;
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

/** Takes the headers of one file: a path, then what is set or removed there. */
export class HeaderCollector {
  private readonly blocks: Block[] = [];
  private open: Block | undefined;

  constructor(
    private readonly collector: ImportCollector,
    private readonly flavor: ImportFlavor,
  ) {}

  /** Begins with a path; `id` is that of its rules. False where the path has no equivalent. */
  path(source: SourceLine, block: { readonly id: string; readonly path: string }): boolean {
    this.open = undefined;
    try {
      this.open = openBlock(source, block, this.flavor);
      this.blocks.push(this.open);
      return true;
    } catch (error) {
      if (!(error instanceof NoEquivalent)) throw error;
      this.collector.refuse(source, error.message);
      return false;
    }
  }

  /** Takes a `Name: value` or `! Name` of the path. */
  header(source: SourceLine, text: string): void {
    if (this.open === undefined) {
      this.collector.refuse(source, "The header stands below no path");
    } else if (this.isSound(this.open, source, text)) {
      readHeader(this.open, text);
      this.open.lines += 1;
    }
  }

  /** Gives the rules of all paths to the collector. */
  finish(): void {
    for (const block of this.blocks) {
      if (block.lines === 0) continue;
      const taken = this.collector.take(block.source, () => toRules(block, this.flavor));
      if (taken.length > 0) this.collector.count(block.lines);
    }
  }

  /** A rule set of this header only shows whether it is sound by itself. */
  private isSound(block: Block, source: SourceLine, text: string): boolean {
    const probe = new ImportCollector();
    probe.take(source, () => {
      const alone: Block = { ...block, set: new Map(), remove: [] };
      const cookies = block.set.get("set-cookie");
      if (cookies !== undefined) alone.set.set("set-cookie", cookies);
      readHeader(alone, text);
      return toRules(alone, this.flavor);
    });
    const [problem] = probe.result().unsupported;
    if (problem !== undefined) this.collector.refuse(source, problem.reason);
    return problem === undefined;
  }
}
