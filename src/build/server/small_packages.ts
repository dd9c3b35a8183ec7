/**
 * Deploys a small installation unchanged, because uploading its few files once takes less time than
 * finding out on every deploy which of them the server loads.
 *
 * @module
 */
import { join, sep } from "node:path";
import { dirname, relative } from "node:path/posix";
import { type ComputeLayer, parseRelativePath } from "../../manifest/mod.ts";
import type { OutputContent } from "../hash_files.ts";
import { findFileSecret } from "../private_files.ts";
import { requiredIn, TOOL_FILES } from "./installed_packages.ts";
import type { PackageFiles } from "./package_folders.ts";
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

/** Returns whether a file can be deployed unchanged and used on another machine. */
function isPortable(content: string, name: string, size: number): boolean {
  if (name.endsWith(".node")) return false;
  // Every package has this file, and reading all of them takes a third of the time.
  if (name === "package.json") return true;
  return findFileSecret({ absolutePath: content, path: content, size }) === undefined;
}

/**
 * Returns the path of a link's target in the deployment. Returns `undefined` if the target is not
 * deployed together with the link.
 */
function deployedTarget(link: string, store: string): string | undefined {
  const real = Deno.realPathSync(link);
  if (!real.startsWith(store + sep)) return undefined;
  const steps = real.slice(store.length + 1).split(sep);
  return steps.some((step) => TOOL_FILES.has(step)) ? undefined : `${PACKAGES}/${steps.join("/")}`;
}

/**
 * Lists the files and links of a folder. Returns `undefined` if there are too many, or if one of
 * them cannot be public or does not work on another machine.
 */
function listSmall(store: string): PackageFiles | undefined {
  const contents: OutputContent[] = [];
  const links: Record<string, string> = {};
  const total = { files: 0, bytes: 0 };
  const folders = [PACKAGES];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const real = store + folder.slice(PACKAGES.length).replaceAll("/", sep);
    // Synchronous, because asynchronous calls take ten times as long for thousands of files.
    for (const { name, isDirectory, isFile, isSymlink } of Deno.readDirSync(real)) {
      if (TOOL_FILES.has(name)) continue;
      if (PRIVATE_NAMES.test(name) || !parseRelativePath(name).ok) return undefined;
      const [path, content] = [`${folder}/${name}`, real + sep + name];
      if (content.length > MAX_PATH) return undefined;
      if (isDirectory) folders.push(path);
      else if (++total.files > MAX_FILES) return undefined;
      else if (isSymlink) {
        const target = deployedTarget(content, store);
        if (target === undefined) return undefined;
        links[path] = relative(dirname(path), target);
      } else {
        const info = Deno.lstatSync(content);
        total.bytes += info.size;
        if (!isFile || total.bytes > MAX_BYTES) return undefined;
        if (!isPortable(content, name, info.size)) return undefined;
        contents.push({ path, content, size: info.size, info });
      }
    }
  }
  return { contents, links };
}

/**
 * Returns whether the deployment contains the complete project at its root. If so, the server's
 * modules find the same packages as in the project.
 */
function deploysProject(
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

/**
 * Returns the installed packages of a server, or `undefined` if they are too many or an import is
 * missing.
 */
export async function smallInstallation(
  facts: ServerFacts,
  layer: ComputeLayer,
): Promise<PackageFiles | undefined> {
  const store = join(Deno.realPathSync(facts.projectRoot), PACKAGES);
  const required = await requiredIn(facts.projectRoot);
  try {
    const isComplete = isFolder(store) && deploysProject(facts, layer) &&
      required.every((name) => Deno.statSync(join(store, name)).isDirectory);
    return isComplete ? listSmall(store) : undefined;
  } catch (error) {
    if (UNREADABLE.some((kind) => error instanceof kind)) return undefined;
    throw error;
  }
}
