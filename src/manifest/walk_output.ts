/** @module Lists the files of an output directory. Reads names and sizes, but no content. */
import { relative, resolve, sep } from "node:path";
import { ENV_FILE } from "../lib/env_files.ts";
import { rawNames } from "../lib/raw_folder.ts";
import { hasControlCharacter } from "./relative_path.ts";
import type { ManifestProblem } from "./types.ts";

export interface OutputFile {
  /** Path relative to the output directory, with `/`. */
  readonly path: string;
  /** Path of the content. For a symbolic link, this is the path of its target. */
  readonly absolutePath: string;
  /** Size in bytes. */
  readonly size: number;
  /** File information about the content. */
  readonly info: Deno.FileInfo;
}

/** Determines which entries of a folder the author excludes from a site. */
export interface IgnoredEntries {
  /**
   * Returns whether to omit a file, or a folder with all its content. `path` is relative to the
   * folder, with `/` as separator.
   */
  isIgnored(path: string, isFolder: boolean): boolean;
  /** Returns the ignored entries for a folder that contains the given names. */
  enter(folder: string, names: readonly string[]): Promise<IgnoredEntries>;
}

const NOTHING_IGNORED: IgnoredEntries = {
  isIgnored: () => false,
  enter: () => Promise.resolve(NOTHING_IGNORED),
};

interface WalkOptions {
  /**
   * The project's own folder. If this is the output directory, files that do not belong to a site
   * are skipped.
   */
  readonly projectRoot: string;
  /**
   * True to list folders named `node_modules` without reading them, because they can belong to
   * servers.
   */
  readonly packagesApart?: boolean;
  /** Entries to exclude; they are only counted. */
  readonly ignored?: IgnoredEntries;
}

export interface WalkResult {
  /** Files in ascending order of their paths' UTF-16 code units. */
  readonly files: readonly OutputFile[];
  /** Names and links that cannot be published. `path` is the file's path. */
  readonly problems: readonly ManifestProblem[];
  /** Number of ignored files and folders. */
  readonly ignored: number;
  /** Files with environment variables, such as `.env.local`. These files are never deployed. */
  readonly secrets: readonly string[];
  /** Folders named `node_modules`, if they were requested separately. */
  readonly packages: readonly PackagesFolder[];
}

/** A folder of packages, or a link to one, that has not been read yet. */
export interface PackagesFolder {
  /** Path relative to the output directory, with `/`. */
  readonly path: string;
  readonly absolutePath: string;
}

const PACKAGES = "node_modules";

/** Entries that are not part of a site if the output directory is the project's own folder. */
const PROJECT_ENTRIES = new Set([
  "svc.toml",
  "svc.rules.toml",
  "svc.rules.test.toml",
  "functions",
  PACKAGES,
]);

const WELL_KNOWN = ".well-known";

/**
 * Files from which tools read environment variables. Some builds copy such files to their output.
 */
const SECRETS = new RegExp(`^${ENV_FILE}$`);

/** Maximum depth of folders. Deeper nesting is a mistake. */
const MAX_DEPTH = 100;

/**
 * Maximum number of files and folders that are reached through links, which could otherwise
 * multiply them without limit.
 */
const MAX_LINKED_ENTRIES = 20_000;

/**
 * Number of folders that are read concurrently. Names and sizes are read synchronously, because an
 * asynchronous call takes ten times as long.
 */
const PARALLEL = 16;

type Exclude = (path: string, name: string) => boolean;

const excludeInOutput: Exclude = (path) => path === ".svc";

const excludeInProject: Exclude = (path, name) =>
  PROJECT_ENTRIES.has(path) || name === PACKAGES ||
  (name.startsWith(".") && path !== WELL_KNOWN);

/** A folder that has not been read yet. `chain` contains the real paths of the folders above it. */
interface Folder {
  readonly path: string;
  readonly absolutePath: string;
  readonly realPath: string;
  readonly chain: readonly string[];
  /** Whether the folder was reached through a link. */
  readonly linked: boolean;
  readonly ignored: IgnoredEntries;
}

function nameProblem(name: string): string | undefined {
  if (!name.isWellFormed() || name.includes("\ufffd")) {
    return "The name is not valid UTF-8: rename it";
  }
  if (hasControlCharacter(name)) return "The name contains a control character: rename it";
  if (name.includes("\\")) return "The name contains a backslash: rename it";
  return undefined;
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Joins a folder and an entry name that are already normalized. */
const below = (folder: string, name: string): string =>
  folder.endsWith(sep) ? folder + name : folder + sep + name;

class Walk {
  readonly files: OutputFile[] = [];
  readonly problems: ManifestProblem[] = [];
  readonly secrets: string[] = [];
  readonly packages: PackagesFolder[] = [];
  ignored = 0;
  #linkedEntries = 0;

  readonly #root: string;
  readonly #exclude: Exclude;
  readonly #options: WalkOptions;

  constructor(root: string, exclude: Exclude, options: WalkOptions) {
    this.#root = root;
    this.#exclude = exclude;
    this.#options = options;
  }

  async run(): Promise<void> {
    const root = this.#root;
    const { ignored = NOTHING_IGNORED } = this.#options;
    const top = { path: "", absolutePath: root, realPath: root, chain: [], linked: false, ignored };
    let level: Folder[] = [top];
    while (level.length > 0 && this.#linkedEntries <= MAX_LINKED_ENTRIES) {
      const next: Folder[] = [];
      for (let at = 0; at < level.length; at += PARALLEL) {
        const found = await Promise.all(
          level.slice(at, at + PARALLEL).map((folder) => this.#readFolder(folder)),
        );
        next.push(...found.flat());
      }
      level = next;
    }
    if (this.#linkedEntries > MAX_LINKED_ENTRIES) {
      const message = `Expected at most ${MAX_LINKED_ENTRIES} files behind symbolic links`;
      this.#report("", `${message}, found more`);
    }
  }

  /** Records the files of a folder, and returns the folders below it. */
  async #readFolder(folder: Folder): Promise<Folder[]> {
    if (folder.chain.length >= MAX_DEPTH) {
      this.#report(folder.path, `Folders are nested more than ${MAX_DEPTH} levels deep`);
      return [];
    }
    const names = [...Deno.readDirSync(folder.absolutePath)];
    this.#reportHidden(folder, names.length);
    if (folder.linked) this.#linkedEntries += names.length;
    const ignored = await folder.ignored.enter(folder.path, names.map(({ name }) => name));
    const inside = { ...folder, ignored };
    const found = await Promise.all(names.map((entry) => this.#readEntry(inside, entry)));
    return found.filter((below) => below !== undefined);
  }

  async #readEntry(folder: Folder, entry: Deno.DirEntry): Promise<Folder | undefined> {
    const path = folder.path === "" ? entry.name : `${folder.path}/${entry.name}`;
    if (SECRETS.test(entry.name)) return void this.secrets.push(path);
    if (this.#exclude(path, entry.name)) return undefined;
    if (folder.ignored.isIgnored(path, entry.isDirectory)) return void this.ignored++;
    const problem = nameProblem(entry.name);
    if (problem !== undefined) return this.#report(path, problem);
    const absolutePath = below(folder.absolutePath, entry.name);
    if (this.#options.packagesApart === true && entry.name === PACKAGES && !entry.isFile) {
      return void this.packages.push({ path, absolutePath });
    }
    if (entry.isSymlink) return await this.#readLink(folder, path, absolutePath);
    if (entry.isFile) {
      const info = Deno.lstatSync(absolutePath);
      return void this.files.push({ path, absolutePath, size: info.size, info });
    }
    if (entry.isDirectory) {
      const realPath = below(folder.realPath, entry.name);
      const chain = [...folder.chain, folder.realPath];
      return { ...folder, path, absolutePath, realPath, chain };
    }
    return this.#report(path, "Expected a file or a folder: remove it");
  }

  /** Follows a link whose target is inside the output directory. */
  async #readLink(folder: Folder, path: string, absolutePath: string) {
    const target = await Deno.readLink(absolutePath);
    const shown = JSON.stringify(target);
    let realPath: string;
    try {
      realPath = await Deno.realPath(absolutePath);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const message = error instanceof Deno.errors.NotFound
        ? `The target of the symbolic link, ${shown}, does not exist: remove the link or restore its target`
        : `Cannot follow the symbolic link to ${shown}: it is circular or not readable`;
      return this.#report(path, message);
    }
    if (!isInside(this.#root, realPath)) {
      return this.#report(
        path,
        `The symbolic link to ${shown} leaves the output directory: copy its target there`,
      );
    }
    if (this.#targetIsExcluded(realPath)) {
      return this.#report(
        path,
        `The symbolic link to ${shown} leads to a file or folder that is never deployed: remove the link`,
      );
    }
    const info = await Deno.stat(realPath);
    if (info.isFile) {
      return void this.files.push({ path, absolutePath: realPath, size: info.size, info });
    }
    const chain = [...folder.chain, folder.realPath];
    if (chain.includes(realPath)) {
      return this.#report(path, `The symbolic link to ${shown} is circular: remove the link`);
    }
    return { path, absolutePath, realPath, chain, linked: true, ignored: folder.ignored };
  }

  /** Returns whether a link's target is in an excluded part of the output. */
  #targetIsExcluded(realPath: string): boolean {
    let path = "";
    for (const name of relative(this.#root, realPath).split(sep)) {
      if (name === "") continue;
      path = path === "" ? name : `${path}/${name}`;
      if (SECRETS.test(name) || this.#exclude(path, name)) return true;
    }
    return false;
  }

  /** Reports names that the runtime does not list, because they are not valid UTF-8. */
  #reportHidden(folder: Folder, seen: number): void {
    const hidden = (rawNames(folder.absolutePath)?.length ?? seen) - seen;
    if (hidden <= 0) return;
    const [subject, them] = hidden === 1
      ? ["1 name that is not valid UTF-8", "it"]
      : [`${hidden} names that are not valid UTF-8`, "them"];
    this.#report(folder.path || ".", `The folder contains ${subject}: rename ${them}`);
  }

  #report(path: string, message: string): undefined {
    this.problems.push({ path, message });
  }
}

const byPath = (left: { readonly path: string }, right: { readonly path: string }) =>
  left.path < right.path ? -1 : left.path > right.path ? 1 : 0;

/**
 * Lists the files of an output directory in a stable order. Links to files and folders inside the
 * directory are followed. Other links, and names that are not valid URL paths, are reported as
 * problems. `.svc/` is excluded, and environment files (`.env`, `.env.local`) are listed
 * separately. In the project's own folder, settings, `functions/`, `node_modules/` and dot files
 * are also excluded, but `.well-known/` is not.
 *
 * @throws {Deno.errors.NotFound} if the directory does not exist
 */
export async function walkOutput(directory: string, options: WalkOptions): Promise<WalkResult> {
  const root = await Deno.realPath(directory);
  const projectRoot = await Deno.realPath(options.projectRoot).catch(() =>
    resolve(options.projectRoot)
  );
  const walk = new Walk(root, root === projectRoot ? excludeInProject : excludeInOutput, options);
  await walk.run();
  const { files, problems, secrets, packages } = walk;
  return {
    files: files.sort(byPath),
    problems: problems.sort(byPath),
    ignored: walk.ignored,
    secrets: secrets.sort(),
    packages: packages.sort(byPath),
  };
}
