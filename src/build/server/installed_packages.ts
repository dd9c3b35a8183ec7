/**
 * @module Lists a project's installed packages with all of their files, because some packages load
 * files whose names they compute.
 */
import { basename, dirname, join } from "node:path/posix";
import * as z from "zod";
import { parseRelativePath } from "../../manifest/mod.ts";
import { createFolderReader } from "../folder_reader.ts";
import type { PlacedTrace } from "./place_packages.ts";

const PACKAGES = "node_modules";

/** Files that package managers and tools create for their own use. */
export const TOOL_FILES: ReadonlySet<string> = new Set([
  ".cache",
  ".vite",
  ".package-lock.json",
  ".modules.yaml",
  ".yarn-state.yml",
]);

/** Folder with the packages' programs, which scripts start. */
const PROGRAMS = ".bin";

const names = z.record(z.string(), z.unknown()).catch({});
const packageSchema = z.object({
  dependencies: names.default({}),
  optionalDependencies: names.default({}),
  peerDependencies: names.default({}),
});

/** Reads the dependencies in a folder's package.json. */
async function packageIn(folder: string): Promise<z.infer<typeof packageSchema>> {
  const text = await createFolderReader(folder).readText("package.json");
  try {
    return packageSchema.parse(JSON.parse(text?.replace(/^\ufeff/, "") ?? "{}"));
  } catch {
    return packageSchema.parse({});
  }
}

/** Returns the names of all dependencies in a folder's package.json, including optional ones. */
async function declaredIn(folder: string): Promise<readonly string[]> {
  const { dependencies, optionalDependencies, peerDependencies } = await packageIn(folder);
  const names = [dependencies, optionalDependencies, peerDependencies].flatMap(Object.keys);
  return [...new Set(names)];
}

/** Returns the names of the packages that a project cannot run without. */
export async function requiredIn(folder: string): Promise<readonly string[]> {
  return Object.keys((await packageIn(folder)).dependencies);
}

interface InstalledOptions {
  /**
   * Real path of the folder where the search ends: the workspace's or the project's.
   */
  readonly base: string;
  readonly project: string;
  /** Real path of the entry. */
  readonly entry: string;
  /** Packages that the server imports, even if the project does not declare them. */
  readonly imports: Iterable<string>;
  /**
   * True to include everything that is installed, false for the runtime dependencies in
   * `package.json`.
   */
  readonly everything: boolean;
}

interface PackageFolder {
  /** Real path of the package's folder. */
  readonly folder: string;
}

const isInside = (path: string, folder: string) => path.startsWith(`${folder}/`);

/** Synchronous, because asynchronous calls take ten times as long for thousands of files. */
function entriesOf(folder: string): readonly Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(folder)];
  } catch {
    return [];
  }
}

class Installed {
  readonly files = new Map<string, { readonly parents: Set<string> }>();
  readonly links = new Map<string, string>();
  readonly #queue: string[] = [];
  readonly #taken = new Set<string>();
  /** Real paths of folders named `node_modules`, keyed by the folders that contain them. */
  readonly #stores = new Map<string, Promise<string | undefined>>();

  readonly #options: InstalledOptions;

  constructor(options: InstalledOptions) {
    this.#options = options;
  }

  async run(): Promise<PlacedTrace> {
    const { project, entry, imports, everything } = this.#options;
    for (const name of new Set([...await declaredIn(project), ...imports])) {
      await this.#need(name, project, entry);
    }
    if (everything) await this.#needAll(project);
    for (let at = 0; at < this.#queue.length; at++) {
      const folder = this.#queue[at]!;
      await this.#readFolder(folder, folder);
      const importer = `${folder}/package.json`;
      for (const name of await declaredIn(folder)) await this.#need(name, folder, importer);
      if (everything) await this.#needEntries(folder);
    }
    await this.#addHoisted();
    for (const folder of this.#foldersUp()) await this.#addPrograms(folder);
    return this;
  }

  /** Returns the project's folder and the folders above it, nearest first. */
  #foldersUp(): readonly string[] {
    const { base, project } = this.#options;
    const folders = [project];
    while (isInside(folders.at(-1)!, base)) folders.push(dirname(folders.at(-1)!));
    return folders;
  }

  #store(folder: string): Promise<string | undefined> {
    let store = this.#stores.get(folder);
    if (store === undefined) {
      store = Deno.realPath(`${folder}/${PACKAGES}`).catch(() => undefined);
      this.#stores.set(folder, store);
    }
    return store;
  }

  /** Finds a package the way Node does, from a folder upward. Keeps links on the way. */
  async #find(name: string, from: string): Promise<PackageFolder | undefined> {
    const { base } = this.#options;
    const last = from === base || isInside(from, base) ? base : "/";
    for (let folder = from;; folder = dirname(folder)) {
      const store = basename(folder) === PACKAGES ? folder : await this.#store(folder);
      const found = store === undefined ? undefined : await this.#at(`${store}/${name}`);
      if (found !== undefined) return found;
      if (folder === last || folder === "/") return undefined;
    }
  }

  async #at(path: string): Promise<PackageFolder | undefined> {
    const real = await Deno.realPath(path).catch(() => undefined);
    if (real === undefined || !(await Deno.stat(real)).isDirectory) return undefined;
    if (real !== path) this.links.set(path, real);
    return { folder: real };
  }

  async #need(name: string, from: string, importer: string): Promise<void> {
    const found = await this.#find(name, from);
    if (found === undefined) return;
    this.#take(found);
    const path = `${found.folder}/package.json`;
    if (!this.files.has(path)) {
      if (await Deno.stat(path).then(({ isFile }) => !isFile, () => true)) return;
      this.files.set(path, { parents: new Set() });
    }
    this.files.get(path)!.parents.add(importer);
  }

  #take({ folder }: PackageFolder): void {
    if (folder === this.#options.project || this.#taken.has(folder)) return;
    this.#taken.add(folder);
    this.#queue.push(folder);
  }

  /** Adds all packages in the folders where the project's imports are resolved. */
  async #needAll(project: string): Promise<void> {
    for (const folder of this.#foldersUp()) await this.#needEntries(folder);
    await this.#needEntries(project);
  }

  /** Adds the packages in the `node_modules` of a folder. */
  async #needEntries(folder: string): Promise<void> {
    const store = await this.#store(folder);
    if (store === undefined) return;
    for (const path of packagesIn(store)) {
      const found = await this.#at(path);
      if (found !== undefined) this.#take(found);
    }
  }

  /** Adds the links through which packages in pnpm find undeclared dependencies. */
  async #addHoisted(): Promise<void> {
    for (const folder of this.#foldersUp()) {
      const store = await this.#store(folder);
      if (store === undefined) continue;
      for (const path of packagesIn(`${store}/.pnpm/${PACKAGES}`)) {
        const real = await Deno.realPath(path).catch(() => undefined);
        if (real !== undefined && real !== path && this.#taken.has(real)) {
          this.links.set(path, real);
        }
      }
    }
  }

  /** Adds the programs of included packages. */
  async #addPrograms(folder: string): Promise<void> {
    const store = await this.#store(folder);
    if (store === undefined) return;
    for (const { name, isSymlink, isFile } of entriesOf(`${store}/${PROGRAMS}`)) {
      const path = `${store}/${PROGRAMS}/${name}`;
      if (isFile) this.files.set(path, { parents: new Set() });
      if (!isSymlink) continue;
      const real = await Deno.realPath(path).catch(() => undefined);
      if (real !== undefined && this.files.has(real)) this.links.set(path, real);
    }
  }

  /** Adds the files of a package. The declared dependencies are found separately. */
  async #readFolder(folder: string, home: string): Promise<void> {
    const isPublished = home.includes(`/${PACKAGES}/`);
    for (const { name, isDirectory, isFile, isSymlink } of entriesOf(folder)) {
      // Packages in the project's own workspace can contain private files.
      if (name === PACKAGES || (!isPublished && name.startsWith("."))) continue;
      if (TOOL_FILES.has(name) || !parseRelativePath(name).ok) continue;
      const path = `${folder}/${name}`;
      if (isDirectory) await this.#readFolder(path, home);
      else if (isFile) this.#addFile(path);
      else if (isSymlink) await this.#addLink(path, home);
    }
  }

  #addFile(path: string): void {
    if (!this.files.has(path)) this.files.set(path, { parents: new Set() });
  }

  /** Keeps a link within a package as a link. Drops links that point outside the package. */
  async #addLink(path: string, home: string): Promise<void> {
    const real = await Deno.realPath(path).catch(() => undefined);
    if (real !== undefined && isInside(real, home)) this.links.set(path, real);
  }
}

/** Returns the paths of the packages in a folder named `node_modules`. */
function packagesIn(store: string): readonly string[] {
  const paths: string[] = [];
  for (const { name, isFile } of entriesOf(store)) {
    if (isFile || name.startsWith(".")) continue;
    if (!name.startsWith("@")) paths.push(join(store, name));
    else {for (const scoped of entriesOf(`${store}/${name}`)) {
        paths.push(join(store, name, scoped.name));
      }}
  }
  return paths;
}

/** Lists the packages of a project with their files and the links to them. */
export async function installedPackages(options: InstalledOptions): Promise<PlacedTrace> {
  const { files, links } = await new Installed(options).run();
  return { files, links };
}

/** Returns the real paths of the package folders that a project can find, nearest first. */
export async function packageStores(
  { base, project }: Pick<InstalledOptions, "base" | "project">,
): Promise<readonly string[]> {
  const stores: string[] = [];
  for (let folder = project;; folder = dirname(folder)) {
    const store = await Deno.realPath(`${folder}/${PACKAGES}`).catch(() => undefined);
    stores.push(store ?? `${folder}/${PACKAGES}`);
    if (folder === base || !isInside(folder, base)) return stores;
  }
}
