/**
 * Deploys a small installation unchanged, because uploading its few files once takes less time than
 * finding out on every deploy which of them the server loads.
 *
 * @module
 */
import { join, relative, sep } from "node:path";
import { type ComputeLayer, type PackagesFolder, parseRelativePath } from "../../manifest/mod.ts";
import { findSecret } from "../private_files.ts";
import { requiredIn, TOOL_FILES } from "./installed_packages.ts";
import type { ServerFacts } from "./types.ts";

const MAX_FILES = 2000;
const MAX_BYTES = 8 * 1024 * 1024;

/** Maximum length of a file's absolute path. A deployed path is limited to 1024 characters. */
const MAX_PATH = 1000;

const PACKAGES = "node_modules";

/** Names of private files and folders that people put next to packages. */
const PRIVATE_NAMES = /^\.(?:env(?:\..*)?|npmrc|git)$/;

/** Errors for a missing package, a broken link, or an unreadable file. */
const { NotFound, PermissionDenied, NotADirectory, FilesystemLoop } = Deno.errors;
const UNREADABLE = [NotFound, PermissionDenied, NotADirectory, FilesystemLoop];

/** Returns whether the target of a link is deployed together with the link. */
function staysInside(link: string, store: string): boolean {
  const real = Deno.realPathSync(link);
  return real.startsWith(store + sep) &&
    relative(store, real).split(sep).every((step) => !TOOL_FILES.has(step));
}

/** Returns whether a file can be deployed unchanged and used on another machine. */
function isPortable(path: string, { name, size }: { name: string; size: number }): boolean {
  return !name.endsWith(".node") && findSecret({ absolutePath: path, path, size }) === undefined;
}

/**
 * Returns whether a folder has only a few files, all of which can be public and work on another
 * machine.
 */
function isSmall(store: string): boolean {
  const total = { files: 0, bytes: 0 };
  const folders = [store];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    // Synchronous, because asynchronous calls take ten times as long for thousands of files.
    for (const { name, isDirectory, isSymlink } of Deno.readDirSync(folder)) {
      if (TOOL_FILES.has(name)) continue;
      if (PRIVATE_NAMES.test(name) || !parseRelativePath(name).ok) return false;
      const path = join(folder, name);
      if (path.length > MAX_PATH) return false;
      if (isDirectory) {
        folders.push(path);
        continue;
      }
      const { size } = Deno.lstatSync(path);
      total.files++;
      total.bytes += size;
      if (total.files > MAX_FILES || total.bytes > MAX_BYTES) return false;
      if (isSymlink ? !staysInside(path, store) : !isPortable(path, { name, size })) return false;
    }
  }
  return true;
}

/**
 * Returns whether the deployment contains the complete project at its root. If so, the server's
 * modules find the same packages as in the project.
 */
function isComplete(
  { listing, projectRoot, workspaceRoot }: ServerFacts,
  { directory, entry }: ComputeLayer,
): boolean {
  const root = Deno.realPathSync(projectRoot);
  const file = listing.files.find(({ path }) => path === entry);
  return directory === "." && workspaceRoot === projectRoot && listing.ignored === 0 &&
    file?.absolutePath === join(root, entry) && !isFolder(join(root, "functions"));
}

function isFolder(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch {
    return false;
  }
}

/** Returns the installed packages of a server, if they are few and no import is missing. */
export async function smallInstallation(
  facts: ServerFacts,
  layer: ComputeLayer,
): Promise<readonly PackagesFolder[]> {
  const store = join(Deno.realPathSync(facts.projectRoot), PACKAGES);
  const required = await requiredIn(facts.projectRoot);
  try {
    const isTaken = isFolder(store) && isComplete(facts, layer) &&
      required.every((name) => Deno.statSync(join(store, name)).isDirectory) && isSmall(store);
    return isTaken ? [{ path: PACKAGES, absolutePath: store }] : [];
  } catch (error) {
    if (UNREADABLE.some((kind) => error instanceof kind)) return [];
    throw error;
  }
}
