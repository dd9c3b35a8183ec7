/**
 * @module Lists package folders that a framework has assembled for its server. They are deployed
 * unchanged.
 */
import { join, sep } from "node:path";
import { dirname, relative } from "node:path/posix";
import type { OutputContent } from "../hash_files.ts";
import type { Listing } from "../list_files.ts";
import { TOOL_FILES } from "./installed_packages.ts";
import type { PackageTally } from "./package_tally.ts";

/** A server's package files, and the links between them, as they are deployed. */
export interface PackageFiles {
  readonly contents: readonly OutputContent[];
  /** Relative targets of symbolic links, keyed by the links' paths in the deployment. */
  readonly links: Readonly<Record<string, string>>;
}

interface Folder {
  readonly real: string;
  readonly path: string;
  /** Real paths of the linked folders outside the listing that led to this folder. */
  readonly chain: readonly string[];
}

/**
 * Returns the deployed path of a real path in the listing. Returns `undefined` for paths outside
 * the listing.
 */
function deployedPath(real: string, tops: readonly Folder[], listing: Listing): string | undefined {
  const top = tops.find((folder) => real === folder.real || real.startsWith(folder.real + sep));
  if (top !== undefined) return top.path + real.slice(top.real.length).replaceAll(sep, "/");
  const inside = listing.files.find(({ absolutePath }) =>
    absolutePath === real || absolutePath.startsWith(real + sep)
  );
  if (inside === undefined) return undefined;
  const { absolutePath, path } = inside;
  return path.slice(0, path.length - (absolutePath.length - real.length));
}

class Reading {
  readonly contents: OutputContent[] = [];
  readonly links: Record<string, string> = {};
  readonly queue: Folder[];

  readonly #tops: readonly Folder[];
  readonly #listing: Listing;
  readonly #tally: PackageTally;

  constructor(tops: readonly Folder[], listing: Listing, tally: PackageTally) {
    this.#tops = tops;
    this.#listing = listing;
    this.#tally = tally;
    this.queue = [...tops];
  }

  async run(): Promise<PackageFiles> {
    for (let at = 0; at < this.queue.length; at++) await this.#readFolder(this.queue[at]!);
    return this;
  }

  async #readFolder(folder: Folder): Promise<void> {
    // Synchronous, because asynchronous calls take ten times as long for thousands of files.
    for (const { name, isDirectory, isSymlink, isFile } of Deno.readDirSync(folder.real)) {
      if (TOOL_FILES.has(name)) continue;
      const [real, path] = [join(folder.real, name), `${folder.path}/${name}`];
      if (isDirectory) this.queue.push({ ...folder, real, path });
      else if (isSymlink) await this.#readLink(folder, { real, path });
      else if (isFile) this.#add(real, path);
    }
  }

  #add(content: string, path: string): void {
    const info = Deno.statSync(content);
    this.#tally.add(path, info.size);
    this.contents.push({ path, content, size: info.size, info });
  }

  /** Keeps a link to deployed files, and replaces other links with the content of their targets. */
  async #readLink(folder: Folder, link: { real: string; path: string }): Promise<void> {
    const real = await Deno.realPath(link.real).catch(() => undefined);
    // Builds can leave dangling links to packages that were not needed.
    if (real === undefined) return;
    const target = deployedPath(real, this.#tops, this.#listing);
    if (target !== undefined) {
      this.links[link.path] = relative(dirname(link.path), target);
      return;
    }
    if (Deno.statSync(real).isFile) return this.#add(real, link.path);
    if (folder.chain.includes(real)) return;
    this.queue.push({ real, path: link.path, chain: [...folder.chain, real] });
  }
}

/** Lists the package folders that are part of an output. */
export async function readPackageFolders(
  listing: Listing,
  tally: PackageTally,
): Promise<PackageFiles> {
  const tops = await Promise.all(
    listing.packages.map(async ({ path, absolutePath }) => ({
      path,
      real: await Deno.realPath(absolutePath),
      chain: [],
    })),
  );
  const { contents, links } = await new Reading(tops, listing, tally).run();
  return { contents, links };
}
