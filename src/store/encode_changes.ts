/**
 * Encodes changes for `svc.commit()`. Deno KV's limits apply, so everything that is stored here can
 * be moved to an embedded store. Pure.
 *
 * @module
 */
import { encodeKey } from "./key_encoding.ts";
import type { Changes, Mutation, RecordKey } from "./record_types.ts";
import { versionOf } from "./versions.ts";

const MAX_KEY_BYTES = 2048;
const MAX_VALUE_BYTES = 65_536;
const MAX_CHECKS = 100;
const MAX_MUTATIONS = 1000;
const MAX_BYTES = 819_200;

interface CheckData {
  readonly key: string;
  /** A decimal number; `null` if there must be no record with the key. */
  readonly version: string | null;
}

interface MutationData {
  readonly type: Mutation["type"];
  readonly key: string;
  /** Bytes in Base64. */
  readonly value?: string;
  /** A counter as a decimal number. */
  readonly number?: string;
  readonly expire_ms?: number | undefined;
}

/** The argument of `svc.commit()`. */
export interface CommitData {
  readonly checks: readonly CheckData[];
  readonly mutations: readonly MutationData[];
  /**
   * True if the commit adds to counters or raises them. The commit fails if such a record is not a
   * counter.
   */
  readonly counts: boolean;
}

/** Encodes a record's key. @throws {TypeError} */
export function encodeRecordKey(key: RecordKey): Uint8Array<ArrayBuffer> {
  if (key.length === 0) throw new TypeError("Cannot use an empty key");
  const bytes = encodeKey(key);
  if (bytes.byteLength > MAX_KEY_BYTES) {
    throw new TypeError(
      `Cannot use a key of ${bytes.byteLength} bytes: at most ${MAX_KEY_BYTES} are allowed`,
    );
  }
  return bytes;
}

function encodeValue(value: unknown): Pick<MutationData, "value" | "number"> & { bytes: number } {
  if (value instanceof Deno.KvU64) return { number: String(value.value), bytes: 8 };
  if (!(value instanceof Uint8Array)) {
    throw new TypeError("Cannot store the value in PostgreSQL: it is not encoded as bytes");
  }
  if (value.byteLength > MAX_VALUE_BYTES) {
    throw new TypeError(
      `Cannot store a value of ${value.byteLength} bytes: at most ${MAX_VALUE_BYTES} are allowed`,
    );
  }
  return { value: value.toBase64(), bytes: value.byteLength };
}

function encodeMutation(mutation: Mutation, key: string): [data: MutationData, bytes: number] {
  const { type } = mutation;
  if (type === "delete") return [{ type, key }, 0];
  if (type !== "set") {
    return [{ type, key, number: String(new Deno.KvU64(mutation.value).value) }, 0];
  }
  const { bytes, ...stored } = encodeValue(mutation.value);
  return [{ type, key, ...stored, expire_ms: mutation.expireIn }, bytes];
}

/** @throws {TypeError} if a value cannot be stored, or if the commit is too large. */
export function encodeChanges({ checks, mutations }: Changes): CommitData {
  if (checks.length > MAX_CHECKS) {
    throw new TypeError(`Cannot commit more than ${MAX_CHECKS} checks`);
  }
  if (mutations.length > MAX_MUTATIONS) {
    throw new TypeError(`Cannot commit more than ${MAX_MUTATIONS} mutations`);
  }
  let size = 0;
  const encode = (key: RecordKey): string => {
    const bytes = encodeRecordKey(key);
    size += bytes.byteLength;
    return bytes.toBase64();
  };
  const data = {
    checks: checks.map(({ key, versionstamp }) => ({
      key: encode(key),
      version: versionstamp === null ? null : String(versionOf(versionstamp)),
    })),
    mutations: mutations.map((mutation) => {
      const [encoded, bytes] = encodeMutation(mutation, encode(mutation.key));
      size += bytes;
      return encoded;
    }),
    counts: mutations.some(({ type }) => type === "sum" || type === "max"),
  };
  if (size > MAX_BYTES) throw new TypeError(`Cannot commit more than ${MAX_BYTES} bytes`);
  return data;
}
