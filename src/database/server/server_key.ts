/** @module The key from which passwords of roles on a server are derived. */
import { createHmac, randomBytes } from "node:crypto";
import { join } from "node:path";
import { writeFileAtomically } from "../../lib/atomic_file.ts";
import { ifMissing } from "../../lib/missing_files.ts";

const KEY_BYTES = 32;

const keyPath = (dataFolder: string): string => join(dataFolder, "postgres.key");

/** Returns the password of a local server's own role. */
export function adminPassword(key: Uint8Array): string {
  return createHmac("sha256", key).update("admin").digest("base64url");
}

/**
 * Reads the key. Returns `undefined` if it has not been created.
 *
 * @throws {Error} if the file is damaged
 */
export async function readKeyIfMade(
  dataFolder: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const path = keyPath(dataFolder);
  const bytes = await Deno.readFile(path).catch(ifMissing);
  if (bytes === undefined || bytes.byteLength === KEY_BYTES) return bytes;
  throw new Error(`${path} is damaged: restore it from a backup of the data folder`);
}

/** Reads the key, which is created once. Anyone who can read it can sign in to all databases. */
export async function readKey(dataFolder: string): Promise<Uint8Array<ArrayBuffer>> {
  const made = await readKeyIfMade(dataFolder);
  if (made !== undefined) return made;
  await Deno.mkdir(dataFolder, { recursive: true });
  const key = new Uint8Array(randomBytes(KEY_BYTES));
  const path = keyPath(dataFolder);
  await writeFileAtomically(path, key, { mode: 0o600 });
  return key;
}
