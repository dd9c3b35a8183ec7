/** @module Destinations for the results of statements, in the order in which the results arrive. */
import type { Column, Row } from "./result_set.ts";

export interface Output {
  /** A result starts. */
  columns(columns: readonly Column[]): void;
  /** Rows of the current result have arrived. */
  rows(rows: readonly Row[]): void;
  /** A statement has finished with a tag such as `INSERT 0 3`. It may have had no result. */
  complete(command: string): void;
  /** All statements are done. */
  end(): void;
  /**
   * Reports a failure that occurs after results were written. Returns false if the caller must
   * report it.
   */
  fail(report: Readonly<Record<string, unknown>>): boolean;
}
