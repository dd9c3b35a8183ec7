/** @module A path of a file of headers, with the headers that it sets and removes. */
import type { Condition } from "../rule_set/types.ts";
import type { SourceLine } from "./import_result.ts";
import { type Segment, toPathMatch } from "./path_pattern.ts";

/** A header of a path, with the lines that name it. */
export interface HeaderEntry {
  /** As first written. */
  readonly name: string;
  readonly values: string[];
  readonly sources: SourceLine[];
}

/** A path with its headers. */
export interface HeaderBlock {
  /** Of its rules. */
  readonly id: string;
  readonly source: SourceLine;
  readonly host?: string;
  readonly segments: readonly Segment[];
  /** Keyed by lower-case name. */
  readonly set: Map<string, HeaderEntry>;
  readonly remove: string[];
  /** Source lines of the rules. */
  lines: number;
}

/** The condition of Cloudflare's path; `used` contains the referenced captures. */
export function cloudflareCondition(
  { segments, host }: Pick<HeaderBlock, "segments" | "host">,
  used: ReadonlySet<string> = new Set(),
): Condition {
  const path = toPathMatch(segments, used);
  return { path, ...(host === undefined ? {} : { host }) };
}
