/**
 * Cached pages as files, each of which is written under a temporary name and then renamed.
 *
 * @module
 */
import { join } from "node:path";
import type { IsrStore } from "../../edge/mod.ts";
import { isUuid } from "../../lib/ids.ts";
import { ifMissing, namesIn, removeTree } from "../../lib/missing_files.ts";

/** Matches a page's file name. All other files are markers, or leftovers from a crash. */
const PAGE_NAME = /^[0-9a-f]{64}\.d?[pq]$/;
const UNFINISHED = ".part";

/** The pages of one deployment, stored in its folder. */
class FolderVault implements IsrStore {
  #made: Promise<void> | undefined;
  #count = 0;

  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async list() {
    const found: { readonly name: string; readonly bytes: number; readonly time: number }[] = [];
    for (const name of await namesIn(this.#folder)) {
      if (name.endsWith(UNFINISHED)) await Deno.remove(join(this.#folder, name)).catch(ifMissing);
      if (!PAGE_NAME.test(name)) continue;
      const info = await Deno.stat(join(this.#folder, name)).catch(ifMissing);
      if (info !== undefined) {
        found.push({ name, bytes: info.size, time: info.mtime?.getTime() ?? 0 });
      }
    }
    return found.sort((left, right) => left.time - right.time);
  }

  async read(name: string) {
    return await Deno.readFile(join(this.#folder, name)).catch(ifMissing);
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    await (this.#made ??= Deno.mkdir(this.#folder, { recursive: true, mode: 0o700 }));
    const beside = join(this.#folder, `${name}.${++this.#count}${UNFINISHED}`);
    try {
      await Deno.writeFile(beside, bytes, { mode: 0o600 });
      await Deno.rename(beside, join(this.#folder, name));
    } catch (error) {
      this.#made = undefined;
      await Deno.remove(beside).catch(() => {});
      throw error;
    }
  }

  async remove(name: string): Promise<void> {
    await Deno.remove(join(this.#folder, name)).catch(ifMissing);
  }
}

/** The cached pages of all deployments. */
export class PageFolders {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  of(deploymentId: string): IsrStore {
    return new FolderVault(join(this.#root, deploymentId));
  }

  async list(): Promise<readonly string[]> {
    return (await namesIn(this.#root)).filter(isUuid);
  }

  async remove(deploymentId: string): Promise<void> {
    await removeTree(join(this.#root, deploymentId));
  }
}
