/** The keys of a commit. They determine whether commits can share a transaction. Pure. @module */
import type { Changes, Mutation, RecordKey } from "../../../store/mod.ts";
import { type Footprint, keyName, keySize } from "./commit_group.ts";

/** Maximum size of keys and values in Deno KV, in bytes. Deno KV itself rejects anything larger. */
const MAX_KEY_BYTES = 2048;
const MAX_VALUE_BYTES = 65_536;

/**
 * A version in Deno KV's format. Deno KV rejects any other version, so a commit with another
 * version must not share a transaction.
 */
const VERSION = /^[0-9a-f]{20}$/;

/**
 * Returns whether Deno KV is certain to accept a change. If Deno KV rejects a change, it keeps the
 * preceding changes.
 */
function isUsual(mutation: Mutation): boolean {
  if (mutation.type === "delete") return true;
  if (mutation.type !== "set") return false;
  const { value, expireIn } = mutation;
  return value instanceof Uint8Array && value.byteLength <= MAX_VALUE_BYTES &&
    (expireIn === undefined || Number.isSafeInteger(expireIn) && expireIn >= 0);
}

const sizeOf = (mutation: Mutation): number =>
  mutation.type === "set" && mutation.value instanceof Uint8Array ? mutation.value.byteLength : 0;

/** Maximum length of a value that is compared with the values of other commits, in bytes. */
const MAX_COMPARED_BYTES = 32;

const shortValueOf = (mutation: Mutation): string | undefined =>
  mutation.type === "set" && mutation.expireIn === undefined &&
    mutation.value instanceof Uint8Array && mutation.value.byteLength <= MAX_COMPARED_BYTES
    ? mutation.value.toHex()
    : undefined;

/** Computes the size of a commit while the commit's keys are being named. */
class Measure {
  alone = false;
  keyBytes = 0;

  /** Names a key and counts its size. Returns `undefined` for a key that Deno KV will reject. */
  nameOf(key: RecordKey): string | undefined {
    try {
      const name = keyName(key);
      const size = keySize(name, key);
      if (key.length === 0 || size > MAX_KEY_BYTES) this.alone = true;
      this.keyBytes += size;
      return name;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.alone = true;
      return undefined;
    }
  }
}

export function footprintOf({ checks, mutations }: Changes): Footprint {
  const measure = new Measure();
  const checked = new Map<string, string | null>();
  const changed = new Map<string, string | undefined>();
  let valueBytes = 0;
  for (const { key, versionstamp } of checks) {
    const name = measure.nameOf(key);
    if (name === undefined) continue;
    const known = checked.get(name);
    const isValid = versionstamp === null || VERSION.test(versionstamp);
    if (!isValid || known !== undefined && known !== versionstamp) measure.alone = true;
    checked.set(name, versionstamp);
  }
  for (const mutation of mutations) {
    if (!isUsual(mutation)) measure.alone = true;
    valueBytes += sizeOf(mutation);
    const name = measure.nameOf(mutation.key);
    if (name !== undefined) changed.set(name, shortValueOf(mutation));
  }
  const { alone, keyBytes } = measure;
  const bytes = keyBytes + valueBytes;
  return { checked, changed, mutations: mutations.length, keyBytes, bytes, alone };
}
