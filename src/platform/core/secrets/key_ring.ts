/**
 * The keys with which a data directory encrypts its secrets, in a file that only its owner can
 * read. New secrets use the latest key. Older keys exist only until all secrets are resealed with
 * the latest one.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { createHmac, hkdfSync } from "node:crypto";
import * as z from "zod";
import { writeFileAtomically } from "../../../lib/atomic_file.ts";
import type { Random } from "../../../lib/clock.ts";
import { NotUtf8Error, readTextFile } from "../../../lib/utf8.ts";

/** AES-256 (FIPS 197). */
const KEY_BYTES = 32;

const fileSchema = z.object({
  version: z.literal(1),
  /** Oldest first. */
  keys: z.array(z.object({
    id: z.string().regex(/^[0-9a-f]{8}$/),
    key: z.base64().length(44),
    /** A value that proves that the key is the original one; missing for older keys. */
    check: z.string().optional(),
  })).min(1),
}).strict();
type KeyFile = z.infer<typeof fileSchema>;

interface SecretKey {
  readonly id: string;
  readonly key: CryptoKey;
  /** The key from which keys for other purposes are derived (HKDF, RFC 5869). */
  readonly base: CryptoKey;
}

/** A data directory's keys, by ID. */
export interface KeyRing {
  readonly current: SecretKey;
  find(id: string): SecretKey | undefined;
}

/** Thrown if the key file cannot be used. Without that file, no secret can be read. */
export class KeyFileError extends Error {
  override readonly name = "KeyFileError";
}

function damaged(path: string): KeyFileError {
  return new KeyFileError(
    `Cannot read the key file ${path}: it is damaged. Restore it from a backup: ` +
      "without it the stored secrets cannot be decrypted",
  );
}

async function readKeyFile(path: string): Promise<KeyFile | undefined> {
  let text: string;
  try {
    text = await readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (error instanceof NotUtf8Error) throw damaged(path);
    throw error;
  }
  try {
    const file = fileSchema.parse(JSON.parse(text));
    if (file.keys.every(isSound)) return file;
  } catch { /* it is not a key file: reported below */ }
  throw damaged(path);
}

/** Number of hexadecimal digits in a check value. */
const CHECK_DIGITS = 16;

/**
 * Computes a key's check value, which reveals nothing about the key, and also covers the key's ID.
 */
function checkOf(id: string, bytes: Uint8Array): string {
  return createHmac("sha256", bytes).update(`svc key ${id}`).digest("hex").slice(0, CHECK_DIGITS);
}

function isSound({ id, key, check }: KeyFile["keys"][number]): boolean {
  const bytes = Buffer.from(key, "base64");
  // Several base64 strings can represent the same bytes, but only one is canonical.
  if (bytes.toString("base64") !== key) return false;
  return check === undefined || check === checkOf(id, bytes);
}

function newEntry(random: Random): KeyFile["keys"][number] {
  const [id, bytes] = [random(4).toHex(), random(KEY_BYTES)];
  return { id, key: Buffer.from(bytes).toString("base64"), check: checkOf(id, bytes) };
}

async function importRing(file: KeyFile): Promise<KeyRing> {
  const ring = new Map<string, SecretKey>();
  for (const { id, key } of file.keys) {
    const bytes = Uint8Array.from(Buffer.from(key, "base64"));
    const imported = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, [
      "encrypt",
      "decrypt",
    ]);
    const base = await crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveKey"]);
    ring.set(id, { id, key: imported, base });
  }
  const current = ring.get(file.keys.at(-1)!.id)!;
  return { current, find: (id) => ring.get(id) };
}

const save = (path: string, file: KeyFile) =>
  writeFileAtomically(path, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });

/** Opens the key file, creating it in an empty data directory. */
export async function openKeyRing(path: string, random: Random): Promise<KeyRing> {
  const known = await readKeyFile(path);
  if (known !== undefined) return importRing(known);
  const fresh: KeyFile = { version: 1, keys: [newEntry(random)] };
  await save(path, fresh);
  return importRing(fresh);
}

/** @throws {KeyFileError} also if the file is missing. */
export async function readKeyRing(path: string): Promise<KeyRing> {
  const known = await readKeyFile(path);
  if (known === undefined) throw new KeyFileError(`Key file ${path} does not exist`);
  return importRing(known);
}

/** Derives 32 bytes for another purpose from the current key (HKDF, RFC 5869). */
export async function deriveBytes(path: string, purpose: string): Promise<Uint8Array> {
  const known = await readKeyFile(path);
  if (known === undefined) throw new KeyFileError(`Key file ${path} does not exist`);
  const key = Buffer.from(known.keys.at(-1)!.key, "base64");
  return new Uint8Array(hkdfSync("sha256", key, "", purpose, KEY_BYTES));
}

/** Returns the IDs of the keys in a file; empty if the file is missing. */
export async function readKeyIds(path: string): Promise<ReadonlySet<string>> {
  return new Set((await readKeyFile(path))?.keys.map(({ id }) => id));
}

/** Adds a new current key. Old keys remain until `forgetOldKeys()` is called. */
export async function addKey(path: string, random: Random): Promise<KeyRing> {
  const known = await readKeyFile(path);
  if (known === undefined) throw new KeyFileError(`Key file ${path} does not exist`);
  const next: KeyFile = { ...known, keys: [...known.keys, newEntry(random)] };
  await save(path, next);
  return importRing(next);
}

/** Keeps only the current key. Call this only when no data is encrypted with another key anymore. */
export async function forgetOldKeys(path: string): Promise<void> {
  const known = await readKeyFile(path);
  if (known !== undefined) await save(path, { ...known, keys: known.keys.slice(-1) });
}
