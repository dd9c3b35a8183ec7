/**
 * Pushed repositories on platforms with several nodes. The packs and refs from pushes are stored as
 * blobs, and a record lists the valid blobs. Each node updates its copy of a repository before
 * using it. A push takes effect when the record is stored, which fails if another push was stored
 * first.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { writeFileAtomically } from "../../lib/atomic_file.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { isUuid } from "../../lib/ids.ts";
import { KeyedLock } from "../../lib/keyed_lock.ts";
import { ifMissing, namesIn } from "../../lib/missing_files.ts";
import { type BlobStore, type BlobVault, keys, readAll, readRecord } from "../core/store/mod.ts";
import { syncFolder, syncTree } from "../../lib/sync_folder.ts";
import { readTextFile } from "../../lib/utf8.ts";
import { pushedRepository } from "./pushed_repository.ts";
import type { RecordStore } from "../../store/mod.ts";

/**
 * Maximum size of a pack file, in bytes. It is the same as for a repository, because a repository
 * can be a single pack.
 */
const MAX_FILE = 8 * 1024 ** 3;
/** How long an unreferenced pack is kept, in milliseconds, because it may still be in use. */
const UNUSED_MS = 60 * 60 * 1000;

const PACK = /^(pack-[0-9a-f]{40,64})\.pack$/;

const file = z.object({ sha256: z.string(), size: z.number() });
const repositoryRecord = z.object({
  workspaceId: z.string(),
  /** The content of `packed-refs`. */
  refs: z.string(),
  packs: z.array(z.object({
    name: z.string().regex(/^pack-[0-9a-f]{40,64}$/),
    pack: file,
    index: file,
  })),
});
type RepositoryRecord = z.infer<typeof repositoryRecord>;
type Pack = RepositoryRecord["packs"][number];

/** Thrown if another push to the repository was stored first. */
export class PushOvertakenError extends Error {
  override readonly name = "PushOvertakenError";
}

/** Lists the blobs of all repositories that nodes share. */
export async function* repositoryBlobs(
  kv: RecordStore,
): AsyncGenerator<
  { readonly workspaceId: string; readonly projectId: string; readonly sha256: string }
> {
  const all = readAll(kv, keys.pushedRepositories(), repositoryRecord);
  for await (const { key, value: { workspaceId, refs, packs } } of all) {
    const place = { workspaceId, projectId: String(key[1]) };
    yield { ...place, sha256: refs };
    for (const { pack, index } of packs) {
      yield { ...place, sha256: pack.sha256 };
      yield { ...place, sha256: index.sha256 };
    }
  }
}

interface PushedRepositoriesOptions {
  /** The folder that contains all of this node's copies. */
  readonly root: string;
  readonly kv: RecordStore;
  readonly vault: Pick<BlobVault, "of">;
  now(): number;
}

export class PushedRepositories {
  readonly #lock = new KeyedLock();
  readonly #receiving = new Set<string>();

  readonly #options: PushedRepositoriesOptions;

  constructor(options: PushedRepositoriesOptions) {
    this.#options = options;
  }

  /** Updates this node's copy. Skips a copy that a push is changing. */
  async sync(projectId: string): Promise<void> {
    if (this.#receiving.has(projectId)) return;
    await this.#lock.run(projectId, () => this.#sync(projectId));
  }

  /**
   * Lets a push change the copy. Unless `publish` is called, the next use of the copy undoes the
   * change.
   */
  async receive<T>(
    projectId: string,
    push: (publish: (repository: string, workspaceId: string) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    return await this.#lock.run(projectId, async () => {
      const base = await this.#sync(projectId);
      await this.#forgetVersion(projectId);
      this.#receiving.add(projectId);
      try {
        return await push((repository, workspaceId) =>
          this.#publish(projectId, { repository, workspaceId, base })
        );
      } finally {
        this.#receiving.delete(projectId);
      }
    });
  }

  /** Shares the repositories of a platform that previously had only one node. */
  async shareOwn(
    projects: () => AsyncIterable<{ readonly id: string; readonly workspaceId: string }>,
  ): Promise<void> {
    const own = new Set(await this.#copies());
    if (own.size === 0) return;
    for await (const { id: projectId, workspaceId } of projects()) {
      if (!own.has(projectId) || await this.#version(projectId) !== undefined) continue;
      const { versionstamp } = await this.#options.kv.get(keys.pushedRepository(projectId));
      if (versionstamp !== null) continue;
      const repository = this.#path(projectId);
      await this.#publish(projectId, { repository, workspaceId, base: null });
    }
  }

  /**
   * Turns all repositories of a platform that previously had several nodes into this node's own.
   * Otherwise, pushes would not change the records, and would be undone by the next shared store.
   */
  async unshare(onTrouble: (message: string) => void): Promise<void> {
    const { kv } = this.#options;
    for await (const { key } of readAll(kv, keys.pushedRepositories(), repositoryRecord)) {
      const projectId = String(key[1]);
      try {
        await this.#lock.run(projectId, async () => {
          const versionstamp = await this.#sync(projectId);
          await this.#forgetVersion(projectId);
          await kv.atomic().check({ key, versionstamp }).delete(key).commit();
        });
      } catch (error) {
        onTrouble(`Cannot read the pushed repository of project ${projectId}: ${error}`);
      }
    }
  }

  /** Removes copies of repositories that no longer exist. Returns the number of removed copies. */
  async removeGone(): Promise<number> {
    let count = 0;
    for (const projectId of await this.#copies()) {
      const isThere = (await this.#options.kv.get(keys.pushedRepository(projectId))).versionstamp;
      if (isThere !== null || await this.#version(projectId) === undefined) continue;
      await this.#lock.run(projectId, async () => {
        await Deno.remove(this.#path(projectId), { recursive: true });
        await this.#forgetVersion(projectId);
      });
      count++;
    }
    return count;
  }

  /** Updates the copy, and returns the record's version; `null` if there is no record. */
  async #sync(projectId: string): Promise<string | null> {
    const { kv, vault } = this.#options;
    const found = await readRecord(kv, keys.pushedRepository(projectId), repositoryRecord);
    if (found === undefined) return null;
    const { value: record, versionstamp } = found;
    if (await this.#version(projectId) === versionstamp) return versionstamp;
    const repository = this.#path(projectId);
    const blobs = vault.of(record.workspaceId);
    await makeBare(repository);
    for (const pack of record.packs) await fetchPack(blobs, join(repository, PACKS), pack);
    const refs = await blobs.read(record.refs);
    // Removes invalid refs that a push left behind.
    for (const folder of ["heads", "tags"]) await emptyFolder(join(repository, "refs", folder));
    await writeFileAtomically(join(repository, "packed-refs"), new TextDecoder().decode(refs), {
      mode: 0o644,
    });
    await this.#removeUnused(join(repository, PACKS), record.packs);
    await removeUnchecked(join(repository, "objects"));
    // The version must not survive a power failure that the packs do not survive.
    await syncTree(repository);
    await syncFolder(this.#options.root);
    await this.#keepVersion(projectId, versionstamp);
    return versionstamp;
  }

  /** @throws {PushOvertakenError} */
  async #publish(
    projectId: string,
    { repository, workspaceId, base }: {
      readonly repository: string;
      readonly workspaceId: string;
      readonly base: string | null;
    },
  ): Promise<void> {
    const { kv, vault } = this.#options;
    const key = keys.pushedRepository(projectId);
    const blobs = vault.of(workspaceId);
    const known = (await readRecord(kv, key, repositoryRecord))?.value.packs ?? [];
    const packs: Pack[] = [];
    for (const name of await packsIn(join(repository, PACKS))) {
      const path = join(repository, PACKS, name);
      packs.push(
        known.find((each) => each.name === name) ?? {
          name,
          pack: await store(blobs, `${path}.pack`),
          index: await store(blobs, `${path}.idx`),
        },
      );
    }
    const text = await Deno.readFile(join(repository, "packed-refs")).catch(ifMissing) ??
      new Uint8Array();
    const refs = sha256Hex(text);
    await blobs.put(refs, text);
    const record: RepositoryRecord = { workspaceId, refs, packs };
    const committed = await kv.atomic().check({ key, versionstamp: base }).set(key, record)
      .commit();
    if (!committed.ok) throw new PushOvertakenError("Another push came first");
    await this.#keepVersion(projectId, committed.versionstamp);
  }

  async #removeUnused(folder: string, packs: readonly Pack[]): Promise<void> {
    const used = new Set(packs.map(({ name }) => name));
    for (const name of await packsIn(folder)) {
      if (used.has(name)) continue;
      const found = await Deno.stat(join(folder, `${name}.pack`)).catch(ifMissing);
      if (this.#options.now() - (found?.mtime?.getTime() ?? 0) < UNUSED_MS) continue;
      for (const suffix of ["idx", "pack", "rev"]) {
        await Deno.remove(join(folder, `${name}.${suffix}`)).catch(() => {});
      }
    }
  }

  /** Lists the projects whose repositories have a copy on this node. */
  async #copies(): Promise<readonly string[]> {
    const names = await namesIn(this.#options.root);
    return names.map((name) => name.replace(/\.git$/, "")).filter(isUuid);
  }

  #path(projectId: string): string {
    return pushedRepository(this.#options.root, projectId);
  }

  /**
   * Returns the path of the file that contains the version of the copy's record. It is outside the
   * repository, where git cannot write.
   */
  #versionFile(projectId: string): string {
    return join(this.#options.root, `${projectId}.version`);
  }

  async #version(projectId: string): Promise<string | undefined> {
    return await readTextFile(this.#versionFile(projectId)).catch(() => undefined);
  }

  async #keepVersion(projectId: string, version: string): Promise<void> {
    await Deno.mkdir(this.#options.root, { recursive: true, mode: 0o700 });
    await writeFileAtomically(this.#versionFile(projectId), version, { mode: 0o600 });
  }

  async #forgetVersion(projectId: string): Promise<void> {
    await Deno.remove(this.#versionFile(projectId)).catch(() => {});
  }
}

const PACKS = "objects/pack";

/** Creates an empty repository if it does not exist yet. */
async function makeBare(path: string): Promise<void> {
  for (const folder of [PACKS, "objects/info", "refs/heads", "refs/tags"]) {
    await Deno.mkdir(join(path, folder), { recursive: true, mode: 0o700 });
  }
  const head = join(path, "HEAD");
  if (await Deno.stat(head).then(() => true, () => false)) return;
  const config = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n";
  await Deno.writeTextFile(join(path, "config"), config);
  await Deno.writeTextFile(head, "ref: refs/heads/main\n");
}

async function packsIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const name = PACK.exec(entry.name)?.[1];
    if (name !== undefined) names.push(name);
  }
  return names.sort();
}

async function emptyFolder(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    await Deno.remove(join(folder, name), { recursive: true });
  }
}

/** Removes objects from pushes that were interrupted before git had checked them. */
async function removeUnchecked(objects: string): Promise<void> {
  for await (const { name } of Deno.readDir(objects)) {
    if (name.startsWith("tmp_objdir-")) await Deno.remove(join(objects, name), { recursive: true });
  }
}

/** Stores a file as a blob without holding it in memory. */
async function store(
  blobs: BlobStore,
  path: string,
): Promise<z.infer<typeof file>> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of (await Deno.open(path)).readable) {
    hash.update(chunk);
    size += chunk.byteLength;
  }
  const sha256 = hash.digest("hex");
  if (await blobs.verify(sha256) === undefined) {
    await blobs.putStream(sha256, (await Deno.open(path)).readable, { maxBytes: MAX_FILE });
  }
  return { sha256, size };
}

/**
 * Fetches a missing or incomplete pack. The index is written last, because it makes the pack
 * visible to git.
 */
async function fetchPack(blobs: BlobStore, folder: string, pack: Pack): Promise<void> {
  const parts = [["pack", pack.pack], ["idx", pack.index]] as const;
  for (const [suffix, { sha256, size }] of parts) {
    const path = join(folder, `${pack.name}.${suffix}`);
    if (await Deno.stat(path).then((found) => found.size === size, () => false)) continue;
    const incoming = `${path}.incoming`;
    await Deno.remove(incoming).catch(() => {});
    await Deno.writeFile(incoming, await blobs.stream(sha256), { mode: 0o444 });
    await Deno.rename(incoming, path);
  }
}
