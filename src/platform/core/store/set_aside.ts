/**
 * Sets damaged records aside: reports them and moves them to an unused part of the store, so the
 * platform can serve everything else. As long as there are damaged records, no unreferenced data is
 * removed.
 *
 * @module
 */
import { encodeKey, type Entry, type RecordKey, type RecordStore } from "../../../store/mod.ts";
import { keys } from "./keys.ts";

/** How long a damaged record is kept, in milliseconds. This is long enough to restore a backup. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** Maximum length of the original key within a damaged record's key, in bytes. */
const MAX_NAME_BYTES = 1900;

export function asideKey(encoded: Uint8Array): RecordKey {
  return keys.damagedRecord(encoded.slice(0, MAX_NAME_BYTES));
}

/** Returns the value to store for a damaged record, without the first byte of decodable values. */
export function asideValue(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return value;
  const kept = value.slice();
  kept[0] = 0;
  return kept;
}

/** Returns when a record that is being set aside now will be removed permanently. */
export const asideUntil = (now: number): number => now + KEPT_MS;

/** Moves a record aside. Returns `false` if the record has changed in the meantime. */
export async function setAside(
  kv: RecordStore,
  { key, value, versionstamp }: Entry,
): Promise<boolean> {
  const { ok } = await kv.atomic()
    .check({ key, versionstamp })
    .delete(key)
    .set(asideKey(encodeKey(key)), asideValue(value), { expireIn: KEPT_MS })
    .commit();
  return ok;
}

/** Records an entry that cannot be moved because it has no valid key. */
export async function markDamaged(kv: RecordStore, encoded: Uint8Array): Promise<void> {
  await kv.set(asideKey(encoded), new Uint8Array(), { expireIn: KEPT_MS });
}

export function describeDamage(key: RecordKey, cause: unknown): string {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return `The record ${
    nameOf(key)
  } is damaged and was set aside for 30 days. ${reason}. Everything else keeps working, and no unused data is removed. To recover it, restore a backup (svc restore). To check the rest, run svc doctor --deep`;
}

export function nameOf(key: RecordKey): string {
  return JSON.stringify(key.map((part) => {
    if (part instanceof Uint8Array) return part.toHex();
    return typeof part === "bigint" ? `${part}` : part;
  }));
}

/** Returns whether there are damaged records, whose blobs must not be removed. */
export async function hasDamagedRecords(kv: RecordStore): Promise<boolean> {
  for await (const _ of kv.list({ prefix: keys.damagedRecords() }, { limit: 1 })) return true;
  return false;
}
