/**
 * @module The root file system of an image, read from the archive that `podman export` and
 * `docker export` write: files by path, and links that stay within its root.
 */
import { join, posix } from "node:path";
import { createTarDecoder, type ParsedTarEntry } from "modern-tar";
import { filePath, MAX_FILE_BYTES, MAX_FILES } from "../../contract/deployment_files.ts";
import { formatBytes } from "../../lib/format.ts";
import { BuildError } from "../build_error.ts";

/** Maximum total size of an image's files, in bytes (4 GiB). */
const MAX_IMAGE_BYTES = 4 * 1024 ** 3;

/** Maximum number of links and of files in an image. The deployment adds a few files. */
const MAX_IMAGE_LINKS = 20_000;
const MAX_IMAGE_FILES = MAX_FILES - 1000;

/** Maximum number of links in a path, as on Linux. */
const MAX_HOPS = 40;

/** Folders that the sandbox provides itself, and files that a container engine adds. */
const NOT_OF_IMAGE = /^(?:dev|proc|sys|tmp|run)(?:\/|$)|^\.dockerenv$/;

/** Name of a file that preserves an empty folder. Deployments store only files. */
const PLACEHOLDER = ".svc-empty";

interface ImageFile {
  /** Absolute path of the file's content on this machine. */
  readonly content: string;
  /** Size in bytes. */
  readonly size: number;
}

export interface ImageFiles {
  /** Files, keyed by their paths in the image without the leading slash. */
  readonly files: ReadonlyMap<string, ImageFile>;
  /** Relative targets of links, keyed by the links' paths. */
  readonly links: ReadonlyMap<string, string>;
  readonly folders: ReadonlySet<string>;
  /** Entries that a deployment cannot contain, each with its kind. */
  readonly leftOut: readonly string[];
}

const invalid = (message: string, hint?: string): BuildError =>
  new BuildError("output_invalid", message, hint === undefined ? {} : { hint });

/** Returns the path of an entry without leading and trailing slashes. */
function pathOf(name: string): string {
  if (name.split("/").includes("..")) {
    throw invalid(`The image has an entry that points outside it: ${JSON.stringify(name)}`);
  }
  return posix.normalize(`/${name}`).replace(/^\/+|\/+$/g, "");
}

/** Returns the folders above a path, nearest first. */
function foldersAbove(path: string): string[] {
  const found: string[] = [];
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
    found.push(path.slice(0, at));
  }
  return found;
}

/**
 * Converts a link target so that, in a deployment, it points to the same file as in the image's
 * root.
 */
function relativeTarget(path: string, target: string): string {
  const folder = posix.dirname(`/${path}`);
  return posix.relative(folder, posix.resolve(folder, target)) || ".";
}

class ImageReader {
  readonly #files = new Map<string, ImageFile>();
  readonly #links = new Map<string, string>();
  readonly #folders = new Set<string>();
  readonly #leftOut: string[] = [];
  #bytes = 0;
  #written = 0;

  /**
   * The folder for the content of files. Their names are numbers, because a name in an image must
   * never become a path on this machine.
   */
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async take({ header, body }: ParsedTarEntry): Promise<void> {
    const { type = "file", name, linkname = "", size } = header;
    const path = pathOf(name);
    if (path === "" || NOT_OF_IMAGE.test(path)) return await body.cancel();
    if (!filePath.safeParse(path).success) {
      this.#leftOut.push(`${JSON.stringify(path)} (its name)`);
      return await body.cancel();
    }
    if (type === "file") return await this.#write(path, { size, body });
    await body.cancel();
    if (type === "directory") return void this.#folders.add(path);
    if (type === "symlink") return this.#link(path, relativeTarget(path, linkname));
    if (type === "link") return this.#repeat(path, pathOf(linkname));
    this.#leftOut.push(`${path} (a ${type.replace("-", " ")})`);
  }

  async #write(
    path: string,
    { size, body }: { readonly size: number; readonly body: ReadableStream<Uint8Array> },
  ): Promise<void> {
    this.#bytes += size;
    if (size > MAX_FILE_BYTES || this.#bytes > MAX_IMAGE_BYTES) {
      const [what, most] = size > MAX_FILE_BYTES
        ? [`the file /${path}`, MAX_FILE_BYTES]
        : ["it", MAX_IMAGE_BYTES];
      throw invalid(
        `The image is too large: ${what} exceeds ${formatBytes(most)}`,
        "Use a smaller base image, and copy only the server's files into the last stage",
      );
    }
    if (this.#written >= MAX_IMAGE_FILES) {
      throw invalid(`The image has more than ${MAX_IMAGE_FILES} files`);
    }
    const content = join(this.#folder, String(this.#written++));
    await Deno.writeFile(content, body);
    this.#files.set(path, { content, size });
  }

  #link(path: string, target: string): void {
    const rest = target.replace(/^(?:\.\.(?:\/|$))+/, "");
    if (rest === "" || rest === "." || filePath.safeParse(rest).success) {
      this.#links.set(path, target);
    } else this.#leftOut.push(`${path} (a link to ${JSON.stringify(target)})`);
  }

  #repeat(path: string, other: string): void {
    const file = this.#files.get(other);
    if (file === undefined) {
      throw invalid(`The image has a hard link to a missing file: ${path} to ${other}`);
    }
    this.#files.set(path, file);
  }

  /** Returns everything that was read, and adds a file to each folder that would be empty. */
  async end(): Promise<ImageFiles> {
    if (this.#links.size > MAX_IMAGE_LINKS) {
      throw invalid(`The image has more than ${MAX_IMAGE_LINKS} symbolic links`);
    }
    const paths = [...this.#files.keys(), ...this.#links.keys()];
    const within = paths.find((path) => foldersAbove(path).some((each) => this.#links.has(each)));
    if (within !== undefined) {
      throw invalid(`The image has an entry below a symbolic link: ${JSON.stringify(within)}`);
    }
    const filled = new Set(paths.flatMap(foldersAbove));
    const nested = new Set([...this.#folders].flatMap(foldersAbove));
    const content = join(this.#folder, PLACEHOLDER);
    await Deno.writeFile(content, new Uint8Array());
    for (const folder of this.#folders) {
      if (filled.has(folder) || nested.has(folder) || this.#links.has(folder)) continue;
      this.#files.set(`${folder}/${PLACEHOLDER}`, { content, size: 0 });
    }
    const folders = new Set([...this.#folders, ...filled, ...nested]);
    return { files: this.#files, links: this.#links, folders, leftOut: this.#leftOut };
  }
}

/**
 * Reads an archive, and writes the content of its files to an empty folder.
 *
 * @throws {BuildError} if the image is too large, or an entry points outside the image
 */
export async function readImageFiles(
  archive: ReadableStream<Uint8Array<ArrayBuffer>>,
  folder: string,
): Promise<ImageFiles> {
  const reader = new ImageReader(folder);
  const decoder = createTarDecoder({ strict: true });
  for await (const entry of archive.pipeThrough(decoder)) await reader.take(entry);
  return await reader.end();
}

/**
 * Follows the links of a path and returns the type of its target. Returns `undefined` if the target
 * does not exist.
 */
export function typeInImage(
  { files, links, folders }: Pick<ImageFiles, "files" | "links" | "folders">,
  path: string,
): "file" | "folder" | undefined {
  const steps = path.split("/");
  let at = "";
  for (let hops = 0; steps.length > 0;) {
    const next = posix.join("/", at, steps.shift()!).slice(1);
    const target = links.get(next);
    if (target === undefined) {
      at = next;
      if (at !== "" && !folders.has(at)) break;
      continue;
    }
    if (++hops > MAX_HOPS) return undefined;
    steps.unshift(...target.split("/"));
    at = foldersAbove(next)[0] ?? "";
  }
  if (files.has(at)) return steps.length === 0 ? "file" : undefined;
  return at === "" || folders.has(at) ? "folder" : undefined;
}

/**
 * Finds the path of a program in the image the way a shell does. Returns `undefined` if there is
 * none.
 */
export function findInImage(
  image: Pick<ImageFiles, "files" | "links" | "folders">,
  program: string,
  { path, workdir }: { readonly path: string; readonly workdir: string },
): string | undefined {
  const candidates = program.includes("/")
    ? [posix.resolve(workdir, program)]
    : path.split(":").map((folder) => posix.resolve(workdir, folder, program));
  return candidates.find((each) => typeInImage(image, each) === "file");
}
