/** @module Files that no visitor should get, unless a `!` pattern in `.svcignore` deploys them. */
import { Buffer } from "node:buffer";
import { relative, sep } from "node:path";
import { printableName } from "../lib/format.ts";
import { nextTurn } from "../lib/next_turn.ts";
import { findSecret, isConfiguration } from "../lib/private_files.ts";
import type { OutputFile } from "../manifest/mod.ts";
import { BuildError } from "./build_error.ts";
import { isListed } from "./ignored_files.ts";
import type { BuildHost } from "./types.ts";

const LFS_POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n/;

/** Minimum and maximum size of a pointer in bytes, as defined by Git LFS. */
const POINTER_BYTES = { from: 100, to: 1023 } as const;

/** Reads the first bytes of a file, each as one character. */
function headOf(path: string, bytes: number): string {
  using file = Deno.openSync(path);
  const head = Buffer.alloc(bytes);
  let length = 0;
  while (length < bytes) {
    const read = file.readSync(head.subarray(length));
    if (read === null) break;
    length += read;
  }
  return head.toString("latin1", 0, length);
}

/** Returns whether a file is a Git LFS pointer to a large file. */
export function isLfsPointer(
  { absolutePath, size }: Pick<OutputFile, "absolutePath" | "size">,
): boolean {
  if (size < POINTER_BYTES.from || size > POINTER_BYTES.to) return false;
  return LFS_POINTER.test(headOf(absolutePath, POINTER_BYTES.from));
}

/** Describes the secret in a file of an output. Returns `undefined` if there is none. */
export const findFileSecret = (
  { absolutePath, path, size }: Pick<OutputFile, "absolutePath" | "path" | "size">,
): string | undefined => findSecret({ path, size, head: (bytes) => headOf(absolutePath, bytes) });

/** Maximum number of file names on one line. */
const SHOWN = 3;

/** Lists the first paths, and states how many more there are. */
export function shortList(paths: readonly string[]): string {
  const more = paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : "";
  return `${paths.slice(0, SHOWN).map(printableName).join(", ")}${more}`;
}

/** A file that is deployed only if its author requests it. */
interface ExcludedFile {
  /** Path relative to the project. */
  readonly path: string;
  readonly message: string;
  /** True if the file is in the output of a build. */
  readonly isBuilt: boolean;
}

/**
 * Returns a listed file's path in the project. For a file outside the project, returns its path in
 * the deployment.
 */
function projectPath(root: string, { absolutePath, path }: OutputFile): string {
  const found = relative(root, absolutePath);
  return found.startsWith("..") ? path : found.split(sep).join("/");
}

/** Number of files to check before yielding to other tasks. */
const FILES_PER_STEP = 200;

/**
 * Packages for other languages. These packages are not served, and some contain keys for their
 * tests.
 */
const PACKAGES = /^(?:\.venv\/lib|vendor\/bundle)\//;

async function heldFiles(
  files: readonly OutputFile[],
  { root, signal }: { readonly root: string; readonly signal: AbortSignal },
): Promise<ExcludedFile[]> {
  const held: ExcludedFile[] = [];
  for (const [at, file] of files.entries()) {
    if (at % FILES_PER_STEP === FILES_PER_STEP - 1) {
      await nextTurn();
      signal.throwIfAborted();
    }
    if (PACKAGES.test(file.path)) continue;
    const secret = findFileSecret(file);
    const message = secret !== undefined
      ? `Looks like ${secret}`
      : isLfsPointer(file)
      ? "Is a Git LFS pointer instead of the actual file: run `git lfs pull` and build again"
      : undefined;
    if (message === undefined) continue;
    const path = projectPath(root, file);
    if (!await isListed(root, path)) held.push({ path, message, isBuilt: path !== file.path });
  }
  return held;
}

/**
 * Rejects files that look like secrets, and Git LFS pointers, before anything is uploaded.
 *
 * @throws {BuildError} that names all of them
 */
export async function refusePrivateFiles(
  files: readonly OutputFile[],
  options: { readonly projectRoot: string; readonly signal: AbortSignal },
): Promise<void> {
  const root = await Deno.realPath(options.projectRoot);
  const held = await heldFiles(files, { root, signal: options.signal });
  if (held.length === 0) return;
  const lines = held.map(({ path, message }) => `${printableName(path)}: ${message}`);
  const { path, isBuilt } = held[0]!;
  const first = `/${printableName(path)}`;
  const remedy = isBuilt
    ? "Remove the file from the build output"
    : `Delete the file, or add "${first}" to .svcignore to skip it`;
  throw new BuildError(
    "output_invalid",
    `Remove private files from the output:\n${lines.join("\n")}`,
    {
      hint: `${remedy}. To deploy it anyway, add "!${first}" to .svcignore`,
      details: { problems: held.map(({ path, message }) => ({ path, message })) },
    },
  );
}

/**
 * Returns the files of a site in the project's own folder, without configuration files. Reports
 * files that are left out. `isServed` returns whether a path is public.
 */
export async function withoutConfiguration<File extends { readonly path: string }>(
  host: BuildHost,
  files: readonly File[],
  { projectRoot, isServed, sources }: {
    readonly projectRoot: string;
    isServed(path: string): boolean;
    /** Patterns that match the source files of the project's server. */
    readonly sources: readonly RegExp[];
  },
): Promise<readonly File[]> {
  const leftOut: string[] = [];
  const isPrivate = (path: string) =>
    isConfiguration(path) || sources.some((pattern) => pattern.test(path));
  for (const { path } of files) {
    if (!isServed(path) || !isPrivate(path) || await isListed(projectRoot, path)) continue;
    leftOut.push(path);
  }
  if (leftOut.length === 0) return files;
  host.say(
    "build",
    "info",
    `Skipped ${shortList(leftOut)}: hosting or build configuration${
      sources.length === 0 ? "" : ", or server source files"
    }. To deploy a file anyway, ` +
      `add "!/${printableName(leftOut[0]!)}" to .svcignore`,
  );
  const names = new Set(leftOut);
  return files.filter(({ path }) => !names.has(path));
}
