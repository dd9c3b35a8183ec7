/**
 * @module Places a server's packages in its deployment. Each module finds the same packages as in
 * the project. Has no side effects. Paths are absolute and real, and use `/`.
 *
 * Packages of the project and of the folders above it, up to its workspace, are merged into one
 * `node_modules` for the server. For packages with the same name, the nearest one is used. Packages
 * that do not fit, and workspace packages, keep their relative paths in a separate folder. If Node
 * would then find a different package than before, a link is added next to the importer.
 */
import { dirname, join, relative } from "node:path/posix";

const PACKAGES = "node_modules";

/**
 * Folder for packages that do not fit into `node_modules`, for example because Node refuses to run
 * TypeScript there.
 */
const STORE = "svc_packages";

export interface PlacedTrace {
  /**
   * The files that the server needs, keyed by their real paths. Each value lists the files that
   * need the file.
   */
  readonly files: ReadonlyMap<string, { readonly parents: ReadonlySet<string> }>;
  /** Real targets of symbolic links. */
  readonly links: ReadonlyMap<string, string>;
}

interface PlacesOptions {
  /** The workspace's folder, or the project's if there is none. */
  readonly base: string;
  /** The server's folder in the deployment. */
  readonly directory: string;
  /**
   * Returns a file's path in the deployment if the file is deployed anyway, otherwise `undefined`.
   */
  readonly deployed: (path: string) => string | undefined;
  /** Folders named `node_modules` that the project can use, nearest first. */
  readonly stores: readonly string[];
}

interface PlacedPackages {
  /** Deployment paths of the files that are not already in the output, keyed by real path. */
  readonly files: ReadonlyMap<string, string>;
  /** Relative targets of symbolic links, keyed by the links' paths in the deployment. */
  readonly links: Readonly<Record<string, string>>;
}

/** Returns the first segments of a path: the name of a package, or of an entry in pnpm's folder. */
function firstEntry(path: string): string {
  const [first = "", second = ""] = path.split("/");
  return first.startsWith("@") || first.startsWith(".") ? `${first}/${second}` : first;
}

/** Returns the folder and name of the package that contains a path. */
function packageAt(path: string): { readonly folder: string; readonly name: string } | undefined {
  const at = path.lastIndexOf(`/${PACKAGES}/`);
  if (at === -1) return undefined;
  const start = at + PACKAGES.length + 2;
  const [first = "", second = ""] = path.slice(start).split("/");
  const name = first.startsWith("@") ? `${first}/${second}` : first;
  return { folder: path.slice(0, start) + name, name };
}

/** Converts a relative path to one without `..`, so that it stays inside the folder. */
const inStore = (path: string): string => path.replaceAll(/(?:^|(?<=\/))\.\.(?=\/)/g, "up");

/** Assigns deployed paths. Each name in `node_modules` belongs to one folder. */
function createPlaces(options: PlacesOptions, paths: readonly string[]) {
  const { base, directory, deployed, stores } = options;
  const owners = stores.map((store) => `${store}/`);
  const ownerOf = (path: string) => owners.find((owner) => path.startsWith(owner));
  const claims = new Map<string, string>();
  for (const owner of owners) {
    for (const path of paths) {
      if (!path.startsWith(owner)) continue;
      const entry = firstEntry(path.slice(owner.length));
      if (!claims.has(entry)) claims.set(entry, owner);
    }
  }
  return (path: string): string => {
    const there = deployed(path);
    if (there !== undefined) return there;
    const owner = ownerOf(path);
    const rest = owner === undefined ? undefined : path.slice(owner.length);
    if (rest !== undefined && claims.get(firstEntry(rest)) === owner) {
      return join(directory, PACKAGES, rest);
    }
    return join(directory, STORE, inStore(relative(base, path)));
  };
}

/** Finds the package folder to which Node resolves a name, from a module's folder upward. */
function resolveName(
  name: string,
  from: string,
  { folders, links }: { readonly folders: ReadonlySet<string>; readonly links: Links },
): string | undefined {
  for (let folder = from;; folder = dirname(folder)) {
    const candidate = folder === "." ? `${PACKAGES}/${name}` : `${folder}/${PACKAGES}/${name}`;
    const target = links.get(candidate);
    if (target !== undefined) return target;
    if (folders.has(candidate)) return candidate;
    if (folder === "." || folder === "/") return undefined;
  }
}

/** Target paths of links, keyed by the links' paths. */
type Links = Map<string, string>;

/** Adds links for importers that would otherwise find a different package, or none. */
function addMissingLinks(
  trace: PlacedTrace,
  place: (path: string) => string,
  found: { readonly folders: ReadonlySet<string>; readonly links: Links; readonly top: string },
): void {
  for (const [path, { parents }] of trace.files) {
    const wanted = packageAt(path);
    if (wanted === undefined) continue;
    const target = place(wanted.folder);
    for (const parent of parents) {
      const importer = packageAt(parent);
      if (importer?.folder === wanted.folder) continue;
      if (resolveName(wanted.name, dirname(place(parent)), found) === target) continue;
      const beside = importer === undefined ? found.top : place(importer.folder);
      const link = join(beside, PACKAGES, wanted.name);
      if (!found.folders.has(link) && !found.links.has(link)) found.links.set(link, target);
    }
  }
}

/** Decides where packages are deployed, and which links point to them. */
export function placePackages(trace: PlacedTrace, options: PlacesOptions): PlacedPackages {
  const paths = [...trace.files.keys(), ...trace.links.keys()];
  const place = createPlaces(options, paths);
  const files = new Map<string, string>();
  const folders = new Set<string>();
  for (const path of trace.files.keys()) {
    const there = place(path);
    if (options.deployed(path) === undefined) files.set(path, there);
    for (let folder = dirname(there); folder !== "."; folder = dirname(folder)) {
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  const links: Links = new Map();
  for (const [path, target] of trace.links) {
    const [from, to] = [place(path), place(target)];
    if (from !== to && !folders.has(from)) links.set(from, to);
  }
  addMissingLinks(trace, place, { folders, links, top: options.directory });
  return {
    files,
    links: Object.fromEntries(
      [...links].map(([path, target]) => [path, relative(dirname(path), target)]),
    ),
  };
}
