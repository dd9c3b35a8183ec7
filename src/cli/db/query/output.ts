/** @module Destinations of statement results, in the order in which they arrive. */
import type { Column, Row } from "./result_set.ts";

export interface Output {
  /** A result begins. */
  columns(columns: readonly Column[]): void;
  /** Some rows of it. */
  rows(rows: readonly Row[]): void;
  /** A statement has ended, with its tag such as `INSERT 0 3`; it may have no result. */
  complete(command: string): void;
  /** All statements are done. */
  end(): void;
  /** Reports a failure after results were written; returns false if the caller must report it. */
  fail(report: Readonly<Record<string, unknown>>): boolean;
}
