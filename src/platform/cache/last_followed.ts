/**
 * When a node last knew of all purges, as a file of its cache: a node that starts tells by it for
 * how long it was away.
 *
 * @module
 */
import { join } from "node:path";
import { writeFileAtomically } from "../../lib/atomic_file.ts";
import { readTextFile } from "../../lib/utf8.ts";
import { isFullDisk } from "../core/store/mod.ts";

const pathIn = (folder: string): string => join(folder, "purges_known");

/** Notes that all purges are known at a time, in milliseconds since the epoch. */
export async function noteFollowed(folder: string, at: number): Promise<void> {
  try {
    await writeFileAtomically(pathIn(folder), `${at}\n`, { mode: 0o600 });
  } catch (error) {
    // It then counts as away for longer.
    if (!isFullDisk(error)) throw error;
  }
}

/** For how long a node was away, in milliseconds; `undefined` if that cannot be told. */
export async function wasAwayFor(folder: string, now: number): Promise<number | undefined> {
  const text = await readTextFile(pathIn(folder)).catch(() => undefined);
  const at = text === undefined || !/^\d+\n$/.test(text) ? NaN : Number(text);
  // A clock that was set back says nothing.
  return at <= now ? now - at : undefined;
}
