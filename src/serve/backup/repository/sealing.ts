/**
 * Names and encrypts the parts of backups.
 *
 * Parts are encrypted with age to the operator's public keys and to a key derived from the
 * platform's own key. The platform must open parts to verify that they can be restored. A part's
 * name is derived from its content and a secret. The name therefore reveals nothing, and stored
 * content is not sent again. The secret changes with the recipients and with the platform's key.
 *
 * @module
 */
import { bech32 } from "@scure/base";
import { Decrypter, Encrypter, generateIdentity, identityToRecipient } from "age-encryption";
import { createHmac } from "node:crypto";
import { deriveBytes } from "../../../platform/core/secrets/mod.ts";
import { sha256Hex } from "../../../lib/hash.ts";
import { readTextFile } from "../../../lib/utf8.ts";
import { BackupError } from "../backup_layout.ts";

type Bytes = Uint8Array<ArrayBuffer>;

export interface Sealing {
  /** Public keys to encrypt parts to. There are none if the parts are not encrypted. */
  readonly recipients: readonly string[];
  /** Determines where content is split. */
  readonly secret: string | Uint8Array;
  nameOf(part: Bytes): string;
  seal(part: Bytes): Promise<Bytes>;
}

/** Decrypts a part, or throws an error on failure. */
export type Opening = (name: string, sealed: Bytes) => Promise<Bytes>;

/** Leaves parts unencrypted and uses their SHA-256 hashes as their names. */
const OPEN_SEALING: Sealing = {
  recipients: [],
  secret: "svc backup",
  nameOf: (part) => sha256Hex(part),
  seal: (part) => Promise.resolve(part),
};

export const openPlain: Opening = (name, sealed) => {
  if (sha256Hex(sealed) === name) return Promise.resolve(sealed);
  return Promise.reject(new Error("its content differs from its name"));
};

const SECRET_PREFIX = "AGE-SECRET-KEY-";
const RECIPIENT = /^age1[a-z0-9]{58}$/;

/** @throws {BackupError} for anything but a public age key */
export function checkRecipients(recipients: readonly string[]): void {
  for (const recipient of recipients) {
    const hint =
      "svc backup --keygen <file> creates a pair of keys; the public one begins with age1";
    if (recipient.toUpperCase().startsWith(SECRET_PREFIX)) {
      throw new BackupError("Cannot encrypt backups to a secret key: use its public key", hint);
    }
    try {
      // age does not mix kinds of keys, so the given keys must be of the same kind as the
      // platform's own key.
      if (!RECIPIENT.test(recipient)) throw new TypeError("another kind of key");
      new Encrypter().addRecipient(recipient);
    } catch (cause) {
      throw new BackupError(
        `Cannot encrypt backups to ${recipient}: it is not an age public key (X25519)`,
        hint,
        { cause },
      );
    }
  }
}

/** Returns the platform's own identity among the recipients, derived from its key file. */
async function ownIdentity(keysFile: string): Promise<string> {
  const bytes = await deriveBytes(keysFile, "svc backup identity");
  return bech32.encodeFromBytes(SECRET_PREFIX, bytes).toUpperCase();
}

/** Encrypts to these public keys and to the platform's own key. */
export async function sealTo(
  recipients: readonly string[],
  keysFile: string,
): Promise<{ readonly sealing: Sealing; readonly opening: Opening }> {
  if (recipients.length === 0) return { sealing: OPEN_SEALING, opening: openPlain };
  checkRecipients(recipients);
  const own = await ownIdentity(keysFile);
  const all = [...new Set(recipients)].sort();
  const encrypter = new Encrypter();
  for (const each of [...all, await identityToRecipient(own)]) encrypter.addRecipient(each);
  const names = await deriveBytes(keysFile, "svc backup names");
  const secret = createHmac("sha256", names).update(all.join("\n")).digest();
  const sealing: Sealing = {
    recipients: all,
    secret,
    nameOf: (part) => createHmac("sha256", secret).update(part).digest("hex"),
    seal: async (part) => new Uint8Array(await encrypter.encrypt(part)),
  };
  return { sealing, opening: openWith([own]) };
}

/** Opens parts with secret keys. */
export function openWith(identities: readonly string[]): Opening {
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  return async (_, sealed) => new Uint8Array(await decrypter.decrypt(sealed));
}

/**
 * Reads secret keys from a file, in the format of `svc backup --keygen` and `age-keygen`.
 *
 * @throws {BackupError}
 */
export async function readIdentities(path: string): Promise<readonly string[]> {
  const text = await readTextFile(path).catch((cause) => {
    const reason = cause instanceof Deno.errors.NotFound
      ? "it does not exist"
      : "it cannot be read";
    throw new BackupError(`Cannot use the secret key in ${path}: ${reason}`, undefined, { cause });
  });
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const identities = lines.filter((line) => line !== "" && !line.startsWith("#"));
  try {
    if (identities.length === 0) throw new Error("no key");
    openWith(identities);
    return identities;
  } catch {
    // The error is not passed on, because it may quote the file's content.
    throw new BackupError(
      `Cannot use the secret key in ${path}: it has no line that begins with ${SECRET_PREFIX}1`,
      "Use the file that svc backup --keygen or age-keygen created",
    );
  }
}

export interface KeyPair {
  readonly identity: string;
  readonly recipient: string;
}

/** Creates a new key pair. */
export async function makeKeyPair(): Promise<KeyPair> {
  const identity = await generateIdentity();
  return { identity, recipient: await identityToRecipient(identity) };
}
