/**
 * Records as a move reads and compares them: encoded keys, stored bytes, and the time that
 * is left to them. Pure.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { encodeKey } from "../../store/mod.ts";
import { keys } from "../../platform/core/store/mod.ts";

export interface RawRecord {
  /** In the encoding that both stores have. */
  readonly key: Uint8Array<ArrayBuffer>;
  readonly value: Uint8Array<ArrayBuffer> | Deno.KvU64;
  /** Milliseconds until it expires, by its store's clock; `undefined` if it does not. */
  readonly leftMs: number | undefined;
}

/** How a record of two stores is in the target: of the source, or of the target where it is more. */
export interface Difference {
  readonly kind: "same" | "changed" | "missing" | "more";
  readonly record: RawRecord;
}

/**
 * The largest difference between two times that mean the same moment but were written separately.
 */
const TIME_TOLERANCE_MS = 60_000;

/** Records of one store, which no other has. */
const OWN: ReadonlySet<string> = new Set(
  ["move", "probe", "portable_values"].map((name) => encodeKey(keys.meta(name)).toHex()),
);

/** Whether a record belongs to what is moved. */
export const isMoved = ({ key }: Pick<RawRecord, "key">): boolean => !OWN.has(key.toHex());

export const sizeOf = ({ key, value }: RawRecord): number =>
  key.byteLength + (value instanceof Uint8Array ? value.byteLength : 8);

/** The value as bytes that differ where values do. */
export function valueBytes({ value }: RawRecord): Uint8Array {
  return value instanceof Uint8Array
    ? Buffer.concat([Buffer.of(0), value])
    : Buffer.from(`\x01${value.value}`);
}

const isOver = ({ leftMs }: RawRecord): boolean => leftMs !== undefined && leftMs <= 0;

/**
 * Whether equal stores may differ in a record: one that has expired, or soon will, exists a little
 * longer in one of them.
 */
export function isTolerable({ kind, record }: Difference): boolean {
  if (kind === "same") return true;
  return kind !== "changed" && record.leftMs !== undefined && record.leftMs <= TIME_TOLERANCE_MS;
}

function isSame(one: RawRecord, other: RawRecord): boolean {
  if (Buffer.compare(valueBytes(one), valueBytes(other)) !== 0) return false;
  if (one.leftMs === undefined || other.leftMs === undefined) return one.leftMs === other.leftMs;
  return Math.abs(one.leftMs - other.leftMs) <= TIME_TOLERANCE_MS;
}

/** The records of a store that are moved and have not expired. */
async function* living(records: AsyncIterable<RawRecord>): AsyncGenerator<RawRecord, undefined> {
  for await (const record of records) if (isMoved(record) && !isOver(record)) yield record;
  return undefined;
}

/** Compares two stores, both in the order of their keys, each read once. */
export async function* differences(
  from: AsyncIterable<RawRecord>,
  to: AsyncIterable<RawRecord>,
): AsyncGenerator<Difference> {
  const [source, target] = [living(from), living(to)];
  let [wanted, found] = [(await source.next()).value, (await target.next()).value];
  while (wanted !== undefined || found !== undefined) {
    const order = wanted === undefined
      ? 1
      : found === undefined
      ? -1
      : Buffer.compare(wanted.key, found.key);
    if (order > 0) yield { kind: "more", record: found! };
    else if (order < 0) yield { kind: "missing", record: wanted! };
    else yield { kind: isSame(wanted!, found!) ? "same" : "changed", record: wanted! };
    if (order <= 0) wanted = (await source.next()).value;
    if (order >= 0) found = (await target.next()).value;
  }
}
