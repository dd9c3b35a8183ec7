/** @module Base backups and log segments of a local PostgreSQL server on disk. */
import { join } from "node:path";
import pMap, { pMapSkip } from "p-map";
import { ifMissing, namesIn } from "../../../lib/missing_files.ts";
import {
  type Base,
  type HistoryContent,
  readBaseName,
  type Segment,
  SEGMENT_NAME,
  totalOf,
} from "../../history_plan.ts";

const MB = 1024 * 1024;
/** Size of a segment, in bytes. */
export const SEGMENT_BYTES = 16 * MB;

export const basesFolder = (folder: string): string => join(folder, "bases");
export const walFolder = (folder: string): string => join(folder, "wal");

/**
 * Reads only complete files. Incomplete files, left behind by a killed process, have other names.
 */
export async function readHistory(folder: string): Promise<HistoryContent> {
  const bases: Base[] = [];
  for (const name of await namesIn(basesFolder(folder))) {
    const base = readBaseName(name);
    if (base === undefined) continue;
    const files = await filesIn(join(basesFolder(folder), name));
    // A base without files is being removed.
    if (files.length > 0) bases.push({ ...base, bytes: totalOf(files) });
  }
  const segments = await filesIn(walFolder(folder), SEGMENT_NAME);
  return { bases, segments };
}

/** Returns the files in a folder, except those that are removed while they are listed. */
async function filesIn(folder: string, pattern = /./): Promise<Segment[]> {
  const names = (await namesIn(folder)).filter((name) => pattern.test(name));
  return await pMap(
    names,
    async (name) => {
      const found = await Deno.stat(join(folder, name)).catch(ifMissing);
      return found === undefined ? pMapSkip : { name, bytes: found.size };
    },
    { concurrency: 16 },
  );
}

/**
 * Returns the command that PostgreSQL uses to copy a full segment. The command succeeds only once
 * the copy is on disk, and can be repeated after a crash.
 */
export function archiveCommand(folder: string): string {
  const wal = quoteForShell(walFolder(folder)).replaceAll("%", "%%");
  return `cp "%p" ${wal}/%f.new && sync ${wal}/%f.new && mv -f ${wal}/%f.new ${wal}/%f && ` +
    `sync ${wal}`;
}

/** Returns the command that a recovering PostgreSQL uses to fetch a segment. */
export function restoreCommand(folder: string): string {
  const wal = quoteForShell(walFolder(folder)).replaceAll("%", "%%");
  return `test -f ${wal}/%f && cp ${wal}/%f "%p"`;
}

const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
