/** @module Detects whether systemd logs the program's output. */
import { fstatSync } from "node:fs";
import type { Environment } from "../session/global_flags.ts";

/** Identifies a file by its device and inode. */
interface FileIdentity {
  readonly dev: number | bigint;
  readonly ino: number | bigint;
}

/** File descriptors of standard output and standard error. */
const OUTPUTS = [1, 2] as const;

/**
 * Returns true if standard output or error goes to the journal, which is persistent and readable by
 * other users. `JOURNAL_STREAM` identifies the stream by device and inode (systemd.exec(5)). Child
 * processes of a service inherit the variable, but may print elsewhere.
 */
export function printsToJournal(
  { JOURNAL_STREAM: stream }: Environment,
  outputs: () => readonly FileIdentity[] = () =>
    OUTPUTS.map((descriptor) => fstatSync(descriptor, { bigint: true })),
): boolean {
  if (stream === undefined || stream === "") return false;
  return outputs().some(({ dev, ino }) => stream === `${dev}:${ino}`);
}
