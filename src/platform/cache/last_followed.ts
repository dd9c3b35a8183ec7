/**
 * Stores when a node last knew of all purges, so the node can tell how long it has been away.
 * @module
 */
import { join } from "node:path";
import { writeFileAtomically } from "../../lib/atomic_file.ts";
import { readTextFile } from "../../lib/utf8.ts";
import { isFullDisk } from "../core/store/mod.ts";

const pathIn = (folder: string): string => join(folder, "purges_known");

/** Records that a node knew of all purges at a given time, in milliseconds since the epoch. */
export async function noteFollowed(folder: string, at: number): Promise<void> {
  try {
    await writeFileAtomically(pathIn(folder), `${at}\n`, { mode: 0o600 });
  } catch (error) {
    // If that fails, the node appears to have been away for longer than it was.
    if (!isFullDisk(error)) throw error;
  }
}

/** Returns how long a node has been away, in milliseconds, or `undefined` if unknown. */
export async function wasAwayFor(folder: string, now: number): Promise<number | undefined> {
  const text = await readTextFile(pathIn(folder)).catch(() => undefined);
  const at = text === undefined || !/^\d+\n$/.test(text) ? NaN : Number(text);
  // The stored time is unusable if the clock has been set back.
  return at <= now ? now - at : undefined;
}
