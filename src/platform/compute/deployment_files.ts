/**
 * Stores deployments that have servers as folders, so each server finds its files where its
 * framework expects them. A folder is built under a temporary name and then renamed, so a folder
 * with a deployment's name is always complete.
 *
 * @module
 */
import { dirname, join } from "node:path";
import { isUuid } from "../../lib/ids.ts";
import { removeTree } from "../../lib/missing_files.ts";
import { createPause } from "../../lib/next_turn.ts";
import { LINKS_PATH } from "../../manifest/mod.ts";
import type { BlobStore } from "../core/store/mod.ts";
import { type Links, LinksError, MAX_LINKS_BYTES, parseLinks } from "./deployment_links.ts";

/** Contains the folders under construction; emptied at startup. */
const INCOMING = "incoming";

/**
 * A file that stops the runtime's upward search in this folder, before it reaches parent folders.
 */
const PACKAGE_FILE = "package.json";
const PACKAGE_TEXT = '{"type":"module"}\n';

/**
 * Permissions that let servers run as other users. Only the platform's user can enter the parent
 * folder.
 */
const FOLDER_MODE = 0o755;

const AT_ONCE = 8;

export interface DeployedFile {
  /** Relative to the output directory, with `/` as separator. */
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
}

export interface FilesSource {
  readonly deploymentId: string;
  readonly files: readonly DeployedFile[];
  readonly blobs: BlobStore;
}

/**
 * Calls `work` for the items, several at a time. After a failure, starts no more calls, and rejects
 * once the running ones have settled.
 */
async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    try {
      while (next < items.length) await work(items[next++]!);
    } catch (error) {
      next = items.length;
      throw error;
    }
  };
  const done = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
  const failed = done.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}

/** Returns the folders that contain the given paths, each after its parent; "." comes first. */
function foldersOf(paths: readonly string[]): readonly string[] {
  const folders = new Set(["."]);
  const add = (folder: string): void => {
    if (folders.has(folder)) return;
    add(dirname(folder));
    folders.add(folder);
  };
  for (const path of paths) add(dirname(path));
  return [...folders];
}

/**
 * Reads the list of links, which is empty if the deployment has none.
 *
 * @throws {LinksError} if it is invalid
 */
async function readLinks({ files, blobs }: FilesSource): Promise<Links> {
  const list = files.find(({ path }) => path === LINKS_PATH);
  if (list === undefined) return new Map();
  if (list.size > MAX_LINKS_BYTES) {
    throw new LinksError(`it has ${list.size} bytes; at most ${MAX_LINKS_BYTES} are allowed`);
  }
  const text = new TextDecoder().decode(await blobs.read(list.sha256));
  return parseLinks(text, files.map(({ path }) => path));
}

/**
 * Returns whether all links and files exist and are complete. Some may have been lost in a power
 * failure.
 */
async function isWhole(
  folder: string,
  { files }: FilesSource,
  links: Links,
): Promise<boolean> {
  let whole = true;
  await inParallel([...links], async ([path, target]) => {
    if (!whole) return;
    const found = await Deno.readLink(join(folder, path)).catch(() => undefined);
    if (found !== target) whole = false;
  });
  await inParallel(files, async ({ path, size }) => {
    if (!whole) return;
    const found = await Deno.lstat(join(folder, path)).catch(() => undefined);
    if (found?.isFile !== true || found.size !== size) whole = false;
  });
  return whole;
}

export class DeploymentFiles {
  readonly #root: string;
  readonly #making = new Map<string, Promise<string>>();
  #prepared: Promise<void> | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  /** Builds the folder if needed. Concurrent calls share one build. @throws {LinksError} */
  folder(source: FilesSource): Promise<string> {
    const { deploymentId } = source;
    let making = this.#making.get(deploymentId);
    if (making === undefined) {
      making = this.#ensure(source).finally(() => this.#making.delete(deploymentId));
      this.#making.set(deploymentId, making);
    }
    return making;
  }

  async remove(deploymentId: string): Promise<void> {
    await this.#prepare();
    const gone = join(this.#root, INCOMING, crypto.randomUUID());
    try {
      await Deno.rename(join(this.#root, deploymentId), gone);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return;
      throw error;
    }
    await removeTree(gone);
  }

  async list(): Promise<readonly string[]> {
    await this.#prepare();
    const ids: string[] = [];
    for await (const { name } of Deno.readDir(this.#root)) if (isUuid(name)) ids.push(name);
    return ids;
  }

  async #ensure(source: FilesSource): Promise<string> {
    await this.#prepare();
    const folder = join(this.#root, source.deploymentId);
    const links = await readLinks(source);
    if (await isWhole(folder, source, links)) return folder;
    await this.remove(source.deploymentId);
    const beside = join(this.#root, INCOMING, crypto.randomUUID());
    try {
      await this.#fill(beside, source, links);
      await Deno.rename(beside, folder);
    } catch (error) {
      await removeTree(beside);
      throw error;
    }
    return folder;
  }

  async #fill(folder: string, { files, blobs }: FilesSource, links: Links): Promise<void> {
    const paths = [...files.map(({ path }) => path), ...links.keys()];
    const folders = foldersOf(paths).map((each) => join(folder, each));
    const pause = createPause();
    for (const each of folders) {
      // This call is synchronous, because asynchronous calls would take ten times as long for
      // thousands of files.
      Deno.mkdirSync(each);
      Deno.chmodSync(each, FOLDER_MODE);
      await pause();
    }
    await inParallel(files, async ({ path, sha256 }) => {
      await blobs.link(sha256, join(folder, path));
      await pause();
    });
    await inParallel([...links], ([path, target]) => Deno.symlink(target, join(folder, path)));
  }

  /** Creates the root, and removes unfinished folders that a crash left behind. */
  #prepare(): Promise<void> {
    return this.#prepared ??= (async () => {
      const incoming = join(this.#root, INCOMING);
      await removeTree(incoming);
      await Deno.mkdir(incoming, { recursive: true, mode: 0o700 });
      await Deno.writeTextFile(join(this.#root, PACKAGE_FILE), PACKAGE_TEXT, { mode: 0o600 });
    })();
  }
}
