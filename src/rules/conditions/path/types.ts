/** @module A path in a condition, as written and in normal form. */
import type { GlobToken } from "../../pattern/glob.ts";

export interface PathMatch {
  readonly type: "exact" | "prefix" | "glob";
  readonly value: string;
}

export interface RuntimePath extends PathMatch {
  /** The parsed form of `value`; present for globs only. */
  readonly tokens?: readonly GlobToken[];
}
