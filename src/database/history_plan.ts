/**
 * @module The database history: base backups, and the segments of the write-ahead log (WAL)
 * that continue them. Decides what to keep, based only on names and sizes.
 */

export interface HistoryLimits {
  /** How far back databases can be restored, in milliseconds. If 0, no history is kept. */
  readonly keepMs: number;
  /** Maximum size on disk, in bytes. */
  readonly maxBytes: number;
}

/** A copy of the whole cluster, in a folder whose name contains `at` and `segment`. */
export interface Base {
  readonly name: string;
  /** When the copy was completed, in milliseconds since 1970. Earlier times need an older base. */
  readonly at: number;
  /** The first segment that is needed to restore the base. */
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

interface HistoryPlan {
  readonly bases: readonly Base[];
  readonly segments: readonly Segment[];
  /** Whether to create a base backup now. */
  readonly needsBase: boolean;
}

const DAY_MS = 24 * 60 * 60_000;
const LOG_FILE_BYTES = 4 * 1024 ** 3;
/** Fraction of the size limit that the WAL since the newest base can use. */
export const WAL_PART = 1 / 4;

/** Matches the name of a segment's file. */
export const SEGMENT_NAME = /^[0-9A-F]{24}$/;
const BASE_NAME = /^(\d{13})-([0-9A-F]{24})$/;

export const baseName = (at: number, segment: string): string => `${at}-${segment}`;

/** Reads the name of a base. Returns `undefined` if it is not the name of a base. */
export function readBaseName(name: string): Omit<Base, "bytes"> | undefined {
  const [, at, segment] = BASE_NAME.exec(name) ?? [];
  return segment === undefined ? undefined : { name, at: Number(at), segment };
}

/**
 * Returns the number of a segment in its timeline. The segment's name contains the number of a 4
 * GiB log file, and the number of the segment within that file.
 */
export const segmentNumber = (name: string, segmentBytes: number): number =>
  Number.parseInt(name.slice(8, 16), 16) * (LOG_FILE_BYTES / segmentBytes) +
  Number.parseInt(name.slice(16), 16);

/** Returns the name of the oldest segment after which there are no gaps. */
function firstWithoutGap(
  segments: readonly Segment[],
  segmentBytes: number,
): string | undefined {
  let first = segments.at(-1)?.name;
  for (const { name } of segments.toReversed()) {
    if (segmentNumber(first!, segmentBytes) - segmentNumber(name, segmentBytes) > 1) break;
    first = name;
  }
  return first;
}

/** Decides which history to keep. */
export function planHistory(
  { bases, segments }: HistoryContent,
  { keepMs, maxBytes, now, segmentBytes }: HistoryLimits & {
    readonly now: number;
    /** Size of a full segment, in bytes. */
    readonly segmentBytes: number;
  },
): HistoryPlan {
  const first = firstWithoutGap(segments, segmentBytes) ?? "";
  const usable = bases.filter(({ segment }) => segment >= first);
  const oldest = usable.findLastIndex(({ at }) => at <= now - keepMs);
  let kept = usable.slice(Math.max(0, oldest));
  const since = ({ segment }: Base) => segments.filter(({ name }) => name >= segment);
  const total = (all: readonly Base[]) =>
    all.length === 0 ? 0 : totalOf(all) + totalOf(since(all[0]!));
  while (kept.length > 1 && total(kept) > maxBytes) kept = kept.slice(1);
  // Without a newer base backup, the log since the last one could fill the disk.
  if (kept.length === 1 && totalOf(since(kept[0]!)) > maxBytes) kept = [];
  const newest = kept.at(-1);
  return {
    bases: kept,
    // Without a base, the segments belong to the base that is being created.
    segments: newest === undefined ? newestWithin(segments, maxBytes) : since(kept[0]!),
    needsBase: newest === undefined || now - newest.at >= DAY_MS || newest.at > now + DAY_MS ||
      totalOf(since(newest)) > maxBytes * WAL_PART,
  };
}

export const totalOf = (all: readonly { readonly bytes: number }[]): number =>
  all.reduce((sum, { bytes }) => sum + bytes, 0);

/** Returns the newest segments that fit into `maxBytes` together. */
function newestWithin(segments: readonly Segment[], maxBytes: number): readonly Segment[] {
  let left = maxBytes;
  return segments.slice(segments.findLastIndex(({ bytes }) => (left -= bytes) < 0) + 1);
}

/** Returns the size of a history on disk, in bytes. */
export const historySize = ({ bases, segments }: HistoryContent): number =>
  totalOf(bases) + totalOf(segments);
