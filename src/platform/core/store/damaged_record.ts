/**
 * Records that cannot be read as what they should be.
 *
 * @module
 */
import { nameOf } from "./set_aside.ts";

/** A stored record does not have the shape that this version of svc expects. */
export class DamagedRecordError extends Error {
  override readonly name = "DamagedRecordError";
  constructor(key: Deno.KvKey, cause: unknown) {
    super(
      `Cannot read the record ${nameOf(key)}: it is damaged, or another version of svc wrote it. ` +
        "Run svc doctor --deep, which reads every record",
      { cause },
    );
  }
}

/** What a store that sets damaged records aside offers beside what Deno KV does. */
export const SET_UNCHECKED_ASIDE = Symbol("set unchecked aside");

/** Sets a record aside where it has no checksum; false where it has one. */
export type SetUncheckedAside = (key: Deno.KvKey, cause: unknown) => Promise<boolean>;

/** Whether a record of another shape has no checksum, and was set aside. */
export async function isUnchecked(
  kv: Deno.Kv,
  key: Deno.KvKey,
  cause: unknown,
): Promise<boolean> {
  const offered: unknown = Reflect.get(kv, SET_UNCHECKED_ASIDE);
  return typeof offered === "function" && await (offered as SetUncheckedAside)(key, cause);
}
