/**
 * Records in the form in which a move compares them: encoded key, value bytes, and remaining
 * lifetime. Pure.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { encodeKey } from "../../store/mod.ts";
import { keys } from "../../platform/core/store/mod.ts";

export interface RawRecord {
  /** Key in the encoding that both stores use. */
  readonly key: Uint8Array<ArrayBuffer>;
  readonly value: Uint8Array<ArrayBuffer> | Deno.KvU64;
  /**
   * Milliseconds until the record expires, according to the store's clock; `undefined` if it does
   * not expire.
   */
  readonly leftMs: number | undefined;
}

/** The state of a record in the target, compared with the source. */
export interface Difference {
  readonly kind: "same" | "changed" | "missing" | "more";
  readonly record: RawRecord;
}

/** Maximum difference between expiry times that count as equal, in milliseconds. */
const TIME_TOLERANCE_MS = 60_000;

/** Keys of records that belong to one store and are not moved. */
const OWN: ReadonlySet<string> = new Set(
  ["move", "probe", "portable_values"].map((name) => encodeKey(keys.meta(name)).toHex()),
);

/** Whether a record is part of the move. */
export const isMoved = ({ key }: Pick<RawRecord, "key">): boolean => !OWN.has(key.toHex());

export const sizeOf = ({ key, value }: RawRecord): number =>
  key.byteLength + (value instanceof Uint8Array ? value.byteLength : 8);

/** Encodes a value as bytes. Different values are never encoded as the same bytes. */
export function valueBytes({ value }: RawRecord): Uint8Array {
  return value instanceof Uint8Array
    ? Buffer.concat([Buffer.of(0), value])
    : Buffer.from(`\x01${value.value}`);
}

const isOver = ({ leftMs }: RawRecord): boolean => leftMs !== undefined && leftMs <= 0;

/** Whether a difference is acceptable because the record is about to expire. */
export function isTolerable({ kind, record }: Difference): boolean {
  if (kind === "same") return true;
  return kind !== "changed" && record.leftMs !== undefined && record.leftMs <= TIME_TOLERANCE_MS;
}

function isSame(one: RawRecord, other: RawRecord): boolean {
  if (Buffer.compare(valueBytes(one), valueBytes(other)) !== 0) return false;
  if (one.leftMs === undefined || other.leftMs === undefined) return one.leftMs === other.leftMs;
  return Math.abs(one.leftMs - other.leftMs) <= TIME_TOLERANCE_MS;
}

/** Yields a store's records that must be moved and have not yet expired. */
async function* living(records: AsyncIterable<RawRecord>): AsyncGenerator<RawRecord, undefined> {
  for await (const record of records) if (isMoved(record) && !isOver(record)) yield record;
  return undefined;
}

/** Compares two stores in key order, and reads each store only once. */
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
