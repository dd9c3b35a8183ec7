/** @module A path in a `_headers` file, with the headers that it sets and removes. */
import type { Condition } from "../rule_set/types.ts";
import type { SourceLine } from "./import_result.ts";
import { type Segment, toPathMatch } from "./path_pattern.ts";

/** A path's header, with the lines that name it. */
export interface HeaderEntry {
  /** The name as it was first written. */
  readonly name: string;
  readonly values: string[];
  readonly sources: SourceLine[];
}

/** A path with its headers. */
export interface HeaderBlock {
  /** The ID of its rules. */
  readonly id: string;
  readonly source: SourceLine;
  readonly host?: string;
  readonly segments: readonly Segment[];
  /** Keyed by lowercase name. */
  readonly set: Map<string, HeaderEntry>;
  readonly remove: string[];
  /** Number of source lines that became rules. */
  lines: number;
}

/**
 * Returns the condition for a Cloudflare path; `used` contains the captures that are referenced.
 */
export function cloudflareCondition(
  { segments, host }: Pick<HeaderBlock, "segments" | "host">,
  used: ReadonlySet<string> = new Set(),
): Condition {
  const path = toPathMatch(segments, used);
  return { path, ...(host === undefined ? {} : { host }) };
}
