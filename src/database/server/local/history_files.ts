/**
 * The history of a local PostgreSQL on disk: base backups, and the segments of the write-ahead
 * log (WAL) that lead on from them. What to keep is decided here, purely by names and sizes.
 *
 * @module
 */
import { join } from "node:path";
import pMap from "p-map";

export interface HistoryLimits {
  /** How far back to restore, in milliseconds; 0 keeps no history. */
  readonly keepMs: number;
  /** Maximum size on disk, in bytes. */
  readonly maxBytes: number;
}

/** A copy of the whole cluster; its folder is named by both values. */
export interface Base {
  readonly name: string;
  /** When it was whole, in milliseconds since 1970: earlier times need an older one. */
  readonly at: number;
  /** The first segment that it needs. */
  readonly segment: string;
  readonly bytes: number;
}

export interface Segment {
  readonly name: string;
  readonly bytes: number;
}

export interface HistoryContent {
  /** Oldest first. */
  readonly bases: readonly Base[];
  /** Oldest first. */
  readonly segments: readonly Segment[];
}

export interface HistoryPlan {
  readonly bases: readonly Base[];
  readonly segments: readonly Segment[];
  /** Whether to make a base now. */
  readonly needsBase: boolean;
}

const BASE = /^(\d{13})-([0-9A-F]{24})$/;
const SEGMENT = /^[0-9A-F]{24}$/;
const DAY_MS = 24 * 60 * 60_000;
/** Part of the size limit that the WAL since the newest base may take. */
const WAL_PART = 1 / 4;

export const baseName = (at: number, segment: string): string => `${at}-${segment}`;
export const basesFolder = (folder: string): string => join(folder, "bases");
export const walFolder = (folder: string): string => join(folder, "wal");

/** Reads what is whole; what a killed process left has other names. */
export async function readHistory(folder: string): Promise<HistoryContent> {
  const bases: Base[] = [];
  for (const name of await namesIn(basesFolder(folder))) {
    const [, at, segment] = BASE.exec(name) ?? [];
    if (segment === undefined) continue;
    const files = await filesIn(join(basesFolder(folder), name));
    bases.push({ name, at: Number(at), segment, bytes: sizeOf(files) });
  }
  const segments = await filesIn(walFolder(folder), SEGMENT);
  return { bases, segments };
}

async function filesIn(folder: string, pattern = /./): Promise<Segment[]> {
  const names = (await namesIn(folder)).filter((name) => pattern.test(name));
  return await pMap(
    names,
    async (name) => ({ name, bytes: (await Deno.stat(join(folder, name))).size }),
    { concurrency: 16 },
  );
}

async function namesIn(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
}

/** Position of a segment in its timeline: a log file of 4 GiB has 256 segments of 16 MiB. */
const positionOf = (name: string): number =>
  Number.parseInt(name.slice(8, 16), 16) * 256 + Number.parseInt(name.slice(16), 16);

/** The oldest segment from which on none is missing. */
function firstWithoutGap(segments: readonly Segment[]): string | undefined {
  let first = segments.at(-1)?.name;
  for (const { name } of segments.toReversed()) {
    if (positionOf(first!) - positionOf(name) > 1) break;
    first = name;
  }
  return first;
}

/** Decides what to keep. */
export function planHistory(
  { bases, segments }: HistoryContent,
  { keepMs, maxBytes, now }: HistoryLimits & { readonly now: number },
): HistoryPlan {
  const first = firstWithoutGap(segments) ?? "";
  const usable = bases.filter(({ segment }) => segment >= first);
  const oldest = usable.findLastIndex(({ at }) => at <= now - keepMs);
  let kept = usable.slice(Math.max(0, oldest));
  const since = ({ segment }: Base) => segments.filter(({ name }) => name >= segment);
  const total = (all: readonly Base[]) =>
    all.length === 0 ? 0 : sizeOf(all) + sizeOf(since(all[0]!));
  while (kept.length > 1 && total(kept) > maxBytes) kept = kept.slice(1);
  // Without a newer base backup, the log since the last one could fill the disk.
  if (kept.length === 1 && sizeOf(since(kept[0]!)) > maxBytes) kept = [];
  const newest = kept.at(-1);
  return {
    bases: kept,
    // Without a base, the segments are those of one that is being created.
    segments: newest === undefined ? newestWithin(segments, maxBytes) : since(kept[0]!),
    needsBase: newest === undefined || now - newest.at >= DAY_MS || newest.at > now + DAY_MS ||
      sizeOf(since(newest)) > maxBytes * WAL_PART,
  };
}

const sizeOf = (all: readonly { readonly bytes: number }[]): number =>
  all.reduce((sum, { bytes }) => sum + bytes, 0);

/** The newest segments that fit a size. */
function newestWithin(segments: readonly Segment[], maxBytes: number): readonly Segment[] {
  let left = maxBytes;
  return segments.slice(segments.findLastIndex(({ bytes }) => (left -= bytes) < 0) + 1);
}

/** Size of a history on disk, in bytes. */
export const historySize = ({ bases, segments }: HistoryContent): number =>
  sizeOf(bases) + sizeOf(segments);

/**
 * The command that PostgreSQL copies a full segment with. The copy is on disk before PostgreSQL
 * hears of it, and may be made again after a crash.
 */
export function archiveCommand(folder: string): string {
  const wal = quoteForShell(walFolder(folder)).replaceAll("%", "%%");
  return `cp "%p" ${wal}/%f.new && sync ${wal}/%f.new && mv -f ${wal}/%f.new ${wal}/%f && ` +
    `sync ${wal}`;
}

/** The command that a recovering PostgreSQL fetches a segment with. */
export function restoreCommand(folder: string): string {
  const wal = quoteForShell(walFolder(folder)).replaceAll("%", "%%");
  return `test -f ${wal}/%f && cp ${wal}/%f "%p"`;
}

const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
