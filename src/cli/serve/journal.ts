/**
 * Whether systemd keeps what the program prints.
 *
 * @module
 */
import { fstatSync } from "node:fs";
import type { Environment } from "../session/mod.ts";

/** Of a file: on which device it is, and which it is there. */
export interface FileIdentity {
  readonly dev: number | bigint;
  readonly ino: number | bigint;
}

const STANDARD_OUTPUT = 1;

/**
 * True where standard output goes to the journal, which outlives the run and which others
 * may read: `JOURNAL_STREAM` names it by device and inode (systemd.exec(5)). Programs
 * that a service starts inherit the variable, and may print elsewhere.
 */
export function printsToJournal(
  { JOURNAL_STREAM: stream }: Environment,
  output: () => FileIdentity = () => fstatSync(STANDARD_OUTPUT, { bigint: true }),
): boolean {
  if (stream === undefined || stream === "") return false;
  const { dev, ino } = output();
  return stream === `${dev}:${ino}`;
}
