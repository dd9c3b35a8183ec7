/**
 * Whether systemd keeps what the program prints.
 *
 * @module
 */
import { fstatSync } from "node:fs";
import type { Environment } from "../session/global_flags.ts";

/** Of a file: on which device it is, and which it is there. */
export interface FileIdentity {
  readonly dev: number | bigint;
  readonly ino: number | bigint;
}

/** Standard output and standard error. */
const OUTPUTS = [1, 2] as const;

/**
 * True if standard output or error goes to the journal, which outlives the run and which
 * others may read: `JOURNAL_STREAM` names one of them by device and inode (systemd.exec(5)).
 * Programs that a service starts inherit the variable, and may print elsewhere.
 */
export function printsToJournal(
  { JOURNAL_STREAM: stream }: Environment,
  outputs: () => readonly FileIdentity[] = () =>
    OUTPUTS.map((descriptor) => fstatSync(descriptor, { bigint: true })),
): boolean {
  if (stream === undefined || stream === "") return false;
  return outputs().some(({ dev, ino }) => stream === `${dev}:${ino}`);
}
