/** @module Destinations for the results of statements, which are written as they arrive. */
import type { Column, Row } from "./result_set.ts";

export interface Output {
  /** Called when a result starts. */
  columns(columns: readonly Column[]): void;
  /** Called when rows of the current result have arrived. */
  rows(rows: readonly Row[]): void;
  /**
   * Called when a statement has finished with a tag such as `INSERT 0 3`. The statement may have
   * had no result.
   */
  complete(command: string): void;
  /** Called when all statements have finished. */
  end(): void;
  /**
   * Reports a failure that occurs after results were written. Returns false if the caller must
   * report it.
   */
  fail(report: Readonly<Record<string, unknown>>): boolean;
}
