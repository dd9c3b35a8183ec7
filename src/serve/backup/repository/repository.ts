/**
 * Backups in a location: each backup is a list of parts, which can be shared between backups.
 *
 * A backup appears once its manifest is written, which happens after all its parts are stored. The
 * next pruning removes any leftovers of killed processes.
 *
 * @module
 */
import pMap from "p-map";
import { BackupError } from "../backup_layout.ts";
import { Cutter } from "./cut_stream.ts";
import type { HeldPlace } from "./hold_place.ts";
import {
  backupOf,
  BACKUPS,
  type Check,
  checkKey,
  checkSchema,
  type ListedBackup,
  type Manifest,
  manifestKey,
  manifestSchema,
  partKey,
  PARTS,
} from "./manifest.ts";
import type { Place } from "./place.ts";
import type { Opening, Sealing } from "./sealing.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Maximum number of parts to send concurrently. Each part uses up to 4 MiB of memory, and the same
 * amount again when it is encrypted.
 */
const PARALLEL = 4;

const encode = (value: unknown): Bytes => new TextEncoder().encode(JSON.stringify(value));

/** Reads the JSON in an object. Returns `undefined` if the content is not JSON. */
function decode(bytes: Bytes): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** Lists the names of the backups in a location, oldest first. */
export async function backupNames(place: Place): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const key of place.list(BACKUPS)) {
    const name = backupOf(key);
    if (name !== undefined) names.push(name);
  }
  return names.sort();
}

/** An error for a backup with a list of parts that cannot be read. */
class ManifestError extends BackupError {}

/** @throws {BackupError} if there is no such backup, or it cannot be read */
export async function readManifest(place: Place, name: string): Promise<Manifest> {
  const bytes = await place.get(manifestKey(name));
  if (bytes === undefined) {
    throw new BackupError(
      `There is no backup ${name} in ${place.name}`,
      "svc restore --from <place> --list shows the available ones",
    );
  }
  const { data } = manifestSchema.safeParse(decode(bytes));
  if (data !== undefined) return data;
  throw new ManifestError(
    `Cannot read the backup ${name} in ${place.name}: its manifest is damaged, or a newer svc wrote it`,
    "Use another backup, or a newer svc",
  );
}

async function readCheck(place: Place, name: string): Promise<Check | null> {
  const bytes = await place.get(checkKey(name));
  return bytes === undefined ? null : checkSchema.safeParse(decode(bytes)).data ?? null;
}

export interface BackupList {
  /** Backups, newest first. */
  readonly backups: readonly ListedBackup[];
  /** Reasons why other backups cannot be listed. */
  readonly problems: readonly string[];
}

/** Lists the backups in a location. An unreadable backup does not hide other backups. */
export async function listBackups(place: Place): Promise<BackupList> {
  const problems: string[] = [];
  const names = (await backupNames(place)).toReversed();
  const backups = await pMap(names, async (name) => {
    const manifest = await readManifest(place, name).catch((error) => {
      if (!(error instanceof ManifestError)) throw error;
      problems.push(error.message);
    });
    if (manifest === undefined) return [];
    const { createdAt, program, recipients, files, bytes } = manifest;
    const check = await readCheck(place, name);
    return [{ name, createdAt, program, encrypted: recipients.length > 0, files, bytes, check }];
  }, { concurrency: PARALLEL });
  return { backups: backups.flat(), problems };
}

/** Writes parts of an archive, without duplicates. */
export class PartWriter {
  readonly parts: string[] = [];
  /** Number of bytes sent, after encryption. */
  sentBytes = 0;

  readonly #place: Place;
  readonly #sealing: Sealing;
  readonly #known: Set<string>;
  readonly #cutter: Cutter;
  readonly #sending = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  private constructor(place: Place, sealing: Sealing, known: Set<string>) {
    this.#place = place;
    this.#sealing = sealing;
    this.#known = known;
    this.#cutter = new Cutter(sealing.secret);
  }

  /** @param sendsAll whether to send existing parts again, because one of them is damaged */
  static async open(place: Place, sealing: Sealing, sendsAll: boolean): Promise<PartWriter> {
    const known = new Set<string>();
    if (!sendsAll) {
      for await (const key of place.list(PARTS)) known.add(key.slice(key.lastIndexOf("/") + 1));
    }
    return new PartWriter(place, sealing, known);
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (const part of this.#cutter.push(bytes)) await this.#add(part);
  }

  /** Resolves when all parts are stored. */
  async finish(): Promise<void> {
    for (const part of this.#cutter.finish()) await this.#add(part);
    await Promise.all(this.#sending);
    this.#throwFailure();
  }

  async #add(part: Bytes): Promise<void> {
    const name = this.#sealing.nameOf(part);
    this.parts.push(name);
    if (this.#known.has(name)) return;
    this.#known.add(name);
    while (this.#sending.size >= PARALLEL) await Promise.race(this.#sending);
    this.#throwFailure();
    const sending: Promise<void> = this.#send(name, part)
      .catch((error) => void (this.#failure ??= { error }))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  async #send(name: string, part: Bytes): Promise<void> {
    const sealed = await this.#sealing.seal(part);
    await this.#place.put(partKey(name), sealed);
    this.sentBytes += sealed.byteLength;
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

/** Makes a backup appear by writing its manifest. */
export async function commitBackup(
  place: Place,
  name: string,
  manifest: Manifest,
): Promise<void> {
  await place.put(manifestKey(name), encode(manifest));
}

export async function recordCheck(place: Place, name: string, check: Check): Promise<void> {
  await place.put(checkKey(name), encode(check));
}

/** An error for a backup with parts that cannot be read. */
export class DamagedPartError extends BackupError {}

async function readPart(
  { place, name, opening }: {
    readonly place: Place;
    readonly name: string;
    readonly opening: Opening;
  },
  part: string,
): Promise<Bytes> {
  const sealed = await place.get(partKey(part));
  const hint = "Use another backup: svc restore --from <place> --list shows the available ones";
  if (sealed === undefined) {
    throw new DamagedPartError(`Cannot use the backup ${name}: its part ${part} is missing`, hint);
  }
  try {
    return await opening(part, sealed);
  } catch (cause) {
    if (cause instanceof Error && cause.message.startsWith("no identity matched")) {
      throw new BackupError(
        `Cannot open the backup ${name}: it was encrypted to a different key`,
        "Use the secret key that belongs to the public key in --backup-recipient",
        { cause },
      );
    }
    throw new DamagedPartError(`Cannot use the backup ${name}: its part ${part} is damaged`, hint, {
      cause,
    });
  }
}

/** Reads a backup's archive, as `svc backup` writes it to a file. */
export function readArchive(
  place: Place,
  name: string,
  { parts, opening }: { readonly parts: readonly string[]; readonly opening: Opening },
): ReadableStream<Bytes> {
  const ahead: Promise<Bytes>[] = [];
  let next = 0;
  const fill = () => {
    for (; ahead.length < PARALLEL && next < parts.length; next++) {
      const part = readPart({ place, name, opening }, parts[next]!);
      // The failure is reported later, in order.
      part.catch(() => {});
      ahead.push(part);
    }
  };
  return new ReadableStream({
    async pull(controller) {
      fill();
      const part = ahead.shift();
      if (part === undefined) controller.close();
      else controller.enqueue(await part);
    },
  }, { highWaterMark: 0 });
}

/**
 * Removes old backups, and parts that no backup needs. The location must be reserved.
 *
 * Only verified backups are counted, so an unverified newer backup never replaces a verified one.
 * All manifests are read before anything is removed.
 */
export async function prune(
  { place, held, keep }: { readonly place: Place; readonly held: HeldPlace; readonly keep: number },
): Promise<{ readonly backups: number; readonly parts: number }> {
  const names = (await backupNames(place)).toReversed();
  const proven: string[] = [];
  for (const name of names) {
    if (proven.length < keep && await readCheck(place, name) !== null) proven.push(name);
  }
  const oldest = proven.length < keep ? "" : proven.at(-1)!;
  const kept = names.filter((name) => name >= oldest);
  const needed = new Set<string>();
  for (const name of kept) {
    const { parts } = await readManifest(place, name).catch((cause) => {
      if (!(cause instanceof ManifestError)) throw cause;
      throw new BackupError(
        `The new backup is stored, but older ones cannot be removed: ${cause.message}`,
        `If it is damaged, remove ${manifestKey(name)} from ${place.name}`,
        { cause },
      );
    });
    for (const part of parts) needed.add(part);
  }
  const old = names.filter((name) => name < oldest);
  for (const name of old) {
    held.assertHeld();
    // The manifest is removed first, so only complete backups are listed.
    await place.remove(manifestKey(name));
    await place.remove(checkKey(name));
  }
  const unneeded = (await Array.fromAsync(place.list(BACKUPS))).filter((key) =>
    key.endsWith(".tmp")
  );
  for await (const key of place.list(PARTS)) {
    if (!needed.has(key.slice(key.lastIndexOf("/") + 1))) unneeded.push(key);
  }
  await pMap(unneeded, async (key) => {
    held.assertHeld();
    await place.remove(key);
  }, { concurrency: PARALLEL });
  return { backups: old.length, parts: unneeded.length };
}
