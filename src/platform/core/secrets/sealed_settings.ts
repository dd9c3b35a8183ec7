/** Secrets that the platform generates once for itself and stores encrypted. @module */
import * as z from "zod";
import { DataIncompleteError, readAll, readRecord } from "../store/mod.ts";
import { sealedSecret, type SecretBox, SecretDamagedError } from "./secret_box.ts";
import type { RecordKey, RecordStore } from "../../../store/mod.ts";

const settingRecord = z.object({ secret: sealedSecret });

const allSettings = (): RecordKey => ["sealed_settings"];
const settingKey = (name: string): RecordKey => ["sealed_settings", name];
const placeOf = (name: string): string => `setting/${name}`;

/** Reads a secret, or generates and stores it if there is none. */
export async function sealedSetting(
  { kv, box }: { readonly kv: RecordStore; readonly box: SecretBox },
  name: string,
  make: () => string | Promise<string>,
): Promise<string> {
  const key = settingKey(name);
  const known = await readRecord(kv, key, settingRecord);
  if (known !== undefined) return await box.open(known.value.secret, placeOf(name));
  const text = await make();
  const secret = await box.seal(text, placeOf(name));
  const stored = await kv.atomic().check({ key, versionstamp: null }).set(key, { secret }).commit();
  return stored.ok ? text : await sealedSetting({ kv, box }, name, make);
}

/** A secret that is created at the first start, so later starts can verify their keys. */
const CHECK = "keys_check";

/**
 * Verifies that these keys match the store's secrets, before anything is served or sealed.
 *
 * @throws {DataIncompleteError} naming the file that does not match.
 */
export async function checkKeys(
  { kv, box }: { readonly kv: RecordStore; readonly box: SecretBox },
  places: { readonly kv: string; readonly keys: string; readonly isShared: boolean },
  { mayWrite = true }: { readonly mayWrite?: boolean } = {},
): Promise<void> {
  try {
    const known = await readRecord(kv, settingKey(CHECK), settingRecord);
    if (known !== undefined) await box.open(known.value.secret, placeOf(CHECK));
    for await (const { key, value } of readAll(kv, allSettings(), settingRecord)) {
      await box.open(value.secret, placeOf(String(key.at(-1))));
    }
    if (known === undefined && mayWrite) await sealedSetting({ kv, box }, CHECK, () => CHECK);
  } catch (error) {
    if (!(error instanceof SecretDamagedError)) throw error;
    const advice = places.isShared
      ? "Copy the keys file from another node, and set it with --keys-file"
      : "Restore the matching keys file. A file from before svc rekey, or from another data directory, does not work. Each backup contains it (keys.json)";
    throw new DataIncompleteError(
      `Cannot start with the keys in ${places.keys}: the key-value store ${places.kv} has secrets that were encrypted with other keys. ${advice}`,
      { cause: error },
    );
  }
}

/**
 * Reseals secrets that are sealed with a key other than the current one. Returns their number, not
 * counting the secret that only verifies the keys.
 */
export async function resealSettings(kv: RecordStore, box: SecretBox): Promise<number> {
  let count = 0;
  for await (const { key, value } of readAll(kv, allSettings(), settingRecord)) {
    const name = String(key.at(-1));
    const secret = await box.renew(value.secret, placeOf(name));
    if (secret === value.secret) continue;
    await kv.set(key, { secret });
    if (name !== CHECK) count++;
  }
  return count;
}
