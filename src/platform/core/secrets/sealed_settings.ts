/**
 * Secrets that the platform generates for itself once, and stores sealed.
 *
 * @module
 */
import { z } from "zod";
import { DataIncompleteError, readAll, readRecord } from "../store/mod.ts";
import { sealedSecret, type SecretBox, SecretDamagedError } from "./secret_box.ts";

const settingRecord = z.object({ secret: sealedSecret });

const allSettings = (): Deno.KvKey => ["sealed_settings"];
const settingKey = (name: string): Deno.KvKey => ["sealed_settings", name];
const placeOf = (name: string): string => `setting/${name}`;

/** Reads a secret; generates and stores it if there is none. */
export async function sealedSetting(
  { kv, box }: { readonly kv: Deno.Kv; readonly box: SecretBox },
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

/** Made by the first start, so that later ones see whether they have its keys. */
const CHECK = "keys_check";

/**
 * Makes sure that a node has the keys that the others seal with.
 *
 * @throws {DataIncompleteError} saying which file is another one's.
 */
export async function checkKeys(
  { kv, box }: { readonly kv: Deno.Kv; readonly box: SecretBox },
  places: { readonly kv: string; readonly keys: string },
): Promise<void> {
  try {
    for await (const { key, value } of readAll(kv, allSettings(), settingRecord)) {
      await box.open(value.secret, placeOf(String(key.at(-1))));
    }
    await sealedSetting({ kv, box }, CHECK, () => CHECK);
  } catch (error) {
    if (!(error instanceof SecretDamagedError)) throw error;
    throw new DataIncompleteError(
      `Cannot start with the keys in ${places.keys}: the key-value store ${places.kv} holds ` +
        "secrets that were encrypted with others. Copy the keys file from another node, and name " +
        "it with --keys-file",
      { cause: error },
    );
  }
}

/** Reseals secrets that are sealed with another key; returns how many. */
export async function resealSettings(kv: Deno.Kv, box: SecretBox): Promise<number> {
  let count = 0;
  for await (const { key, value } of readAll(kv, allSettings(), settingRecord)) {
    if (box.isCurrent(value.secret)) continue;
    const place = placeOf(String(key.at(-1)));
    await kv.set(key, { secret: await box.seal(await box.open(value.secret, place), place) });
    count++;
  }
  return count;
}
