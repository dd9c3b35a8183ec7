/**
 * Rewrites a store that an earlier svc wrote in the format of its runtime, which older
 * runtimes cannot read (docs/decisions/store.md).
 *
 * @module
 */
import { whenUnlocked } from "../../lib/contention.ts";
import { renewedValue } from "../records.ts";
import type { RecordKey, RecordStore } from "../../store/mod.ts";

/** Marks a store all of whose values are bytes. */
const MARK: RecordKey = ["meta", "portable_values"];

/** The store has values that this program's runtime is too old to read. */
export class UnreadableValuesError extends Error {
  override readonly name = "UnreadableValuesError";

  constructor(options: ErrorOptions) {
    super(
      "an svc on a newer Deno wrote values there that this one, on Deno " +
        `${Deno.version.deno}, cannot read`,
      options,
    );
  }
}

/** Whether all values are bytes already. */
async function isPortable(kv: RecordStore, root: RecordKey): Promise<boolean> {
  let isNative = false;
  try {
    for await (const { value } of kv.list({ prefix: root })) {
      isNative ||= renewedValue(value) !== undefined;
    }
    return !isNative;
  } catch (cause) {
    if (cause instanceof RangeError) throw new UnreadableValuesError({ cause });
    throw cause;
  }
}

/**
 * Makes all values below `root` readable for every version of the runtime, once for each
 * store. A value that another process changes meanwhile is left to it.
 *
 * @throws {UnreadableValuesError} where one cannot be read; then nothing has changed.
 */
export async function renewValues(kv: RecordStore, root: RecordKey): Promise<void> {
  if ((await kv.get(MARK)).versionstamp !== null) return;
  if (!await isPortable(kv, root)) {
    for await (const { key, value, versionstamp } of kv.list({ prefix: root })) {
      const renewed = renewedValue(value);
      if (renewed === undefined) continue;
      await whenUnlocked(() => kv.atomic().check({ key, versionstamp }).set(key, renewed).commit());
    }
  }
  await whenUnlocked(() => kv.set(MARK, new Uint8Array([1])));
}
