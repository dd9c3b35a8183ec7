/** @module The routes of a deployment and the files of its layers. */
import {
  type CompiledRoute,
  createRouteTable,
  type Manifest,
  type RouteTable,
} from "../../manifest/mod.ts";
import type { Steps } from "../../lib/next_turn.ts";
import type { HeaderList } from "../messages/header_list.ts";
import { isReading } from "../messages/messages.ts";
import {
  createFileTable,
  type Fallback,
  type FileTable,
  findFile,
  type FoundFile,
} from "./file_table.ts";
import { serverFilesTest } from "./server_files.ts";
import type { SiteFile, StaticFile } from "./static_file.ts";

/** The final target of a request. */
export type Resolution =
  | FileAtPath
  /** A file that is served at another path. */
  | MovedFile
  /** There is a file, but the method is neither `GET` nor `HEAD`. */
  | { readonly type: "read_only" }
  /** 404, with the layer's own page if it has one. */
  | {
    readonly type: "missing";
    readonly page: StaticFile | undefined;
    /** The page that replaces the 404 if the request is for a document. */
    readonly fallback: StaticFile | undefined;
  }
  /** A COMPUTE layer handles the request. */
  | ComputeResolution;

interface FileAtPath {
  readonly type: "file";
  readonly file: StaticFile;
  /** Whether the file's own URL has a different path, where the routes find something else. */
  readonly isElsewhere?: true;
}

/** A file whose URL has a different path. Visitors are redirected there. */
export interface MovedFile {
  readonly type: "moved";
  readonly file: StaticFile;
  /** Normalized path, which `resolve()` also resolves to this file. */
  readonly address: string;
}

/** A COMPUTE layer handles the request. After a 404, `SiteContent.after()` finds the next route. */
export interface ComputeResolution {
  readonly type: "compute";
  readonly route: CompiledRoute;
  /** The position in the routes. */
  readonly walk: Walk;
}

/** How far a request has progressed through the routes. */
interface Walk {
  readonly matched: readonly CompiledRoute[];
  /** Index of the next route to try. */
  readonly next: number;
  /** The 404 page of the first layer that does not have the file. */
  readonly page: StaticFile | undefined;
  /**
   * The fallback of the first layer that does not have the file but has a fallback for the path.
   */
  readonly fallback: StaticFile | undefined;
  /** Whether a file was skipped because the method is neither `GET` nor `HEAD`. */
  readonly isFile: boolean;
}

/** A last segment with a file extension: an asset, not a page of an app. */
const HAS_EXTENSION = /\.[^/.]+$/;

/**
 * Returns the fallback, if it applies to the path. The path must be below the fallback's folder,
 * and must not have a file extension.
 */
function fallbackFor(fallback: Fallback | undefined, path: string): StaticFile | undefined {
  if (fallback === undefined || HAS_EXTENSION.test(path)) return undefined;
  return path.startsWith(fallback.below) || `${path}/` === fallback.below
    ? fallback.file
    : undefined;
}

/** Maximum number of redirecting paths that are remembered. */
const MAX_MOVED = 10_000;

const READ_ONLY: Resolution = Object.freeze({ type: "read_only" });

/** Builds the tables of all STATIC layers. Every response has the header fields in `common`. */
export function* createFileTables(
  manifest: Manifest,
  files: readonly SiteFile[],
  common: HeaderList,
): Steps<ReadonlyMap<string, FileTable>> {
  const tables = new Map<string, FileTable>();
  for (const layer of manifest.layers) {
    if (layer.target !== "STATIC") continue;
    const isHidden = serverFilesTest(manifest.layers, layer);
    const { directory, fallback } = layer;
    const options = { directory, common, isHidden, fallback, urls: manifest.urls };
    tables.set(layer.name, yield* createFileTable(files, options));
  }
  return tables;
}

/** Failures for which a site can have its own page, such as `502.html`. */
const PAGED_FAILURES = [401, 403, 404, 429, 500, 502, 503, 504] as const;

/**
 * Returns the failure pages by status. Each page is from the first layer that has one for the
 * status.
 */
function failurePagesOf(
  tables: ReadonlyMap<string, FileTable>,
): ReadonlyMap<number, StaticFile> {
  const pages = new Map<number, StaticFile>();
  for (const status of PAGED_FAILURES) {
    for (const { byPath } of tables.values()) {
      const page = byPath.get(`/${status}.html`);
      if (page === undefined) continue;
      pages.set(status, page);
      break;
    }
  }
  return pages;
}

export class SiteContent {
  readonly #routes: RouteTable;
  readonly #tables: ReadonlyMap<string, FileTable>;
  /** Paths that have been resolved to a file, one per file. */
  readonly #known: Readonly<Record<"GET" | "HEAD", Map<string, StaticFile>>> = {
    GET: new Map(),
    HEAD: new Map(),
  };
  /** Other paths that have been used to request files. */
  readonly #moved: Readonly<Record<"GET" | "HEAD", Map<string, MovedFile>>> = {
    GET: new Map(),
    HEAD: new Map(),
  };
  readonly #failurePages: ReadonlyMap<number, StaticFile>;

  /** `tables` is the result of `createFileTables()` for the manifest's STATIC layers. */
  constructor(manifest: Manifest, tables: ReadonlyMap<string, FileTable>) {
    this.#routes = createRouteTable(manifest);
    this.#tables = tables;
    this.#failurePages = failurePagesOf(tables);
  }

  /** Returns the site's own page for a failure, such as its `502.html`. */
  failurePage(status: number): StaticFile | undefined {
    return this.#failurePages.get(status);
  }

  /**
   * Returns the file for a path that has been resolved before, or `undefined` if the path is
   * unknown. A known path is always normalized.
   */
  knownFile(method: "GET" | "HEAD", path: string): StaticFile | undefined {
    return this.#known[method].get(path);
  }

  resolve(method: string, path: string): Resolution {
    if (!isReading(method)) return this.#resolveOther(method, path);
    const known = this.#known[method].get(path);
    if (known !== undefined) return { type: "file", file: known };
    const moved = this.#moved[method];
    const before = moved.get(path);
    if (before !== undefined) return before;
    const resolution = this.#route(method, path);
    if (resolution.type === "file") {
      if (resolution.isElsewhere !== true) this.#known[method].set(path, resolution.file);
    } else if (resolution.type === "moved" && moved.size < MAX_MOVED) {
      moved.set(path, resolution);
    }
    return resolution;
  }

  /** Returns whether a static file responds to `GET` requests for the normalized path. */
  hasFile(path: string): boolean {
    const { type } = this.resolve("GET", path);
    return type === "file" || type === "moved";
  }

  /**
   * Continues with the next matching route, because the resolution's layer had nothing at the path.
   */
  after(method: string, path: string, { walk }: ComputeResolution): Resolution {
    return this.#follow(method, path, walk);
  }

  #route(method: string, path: string): Resolution {
    const matched = this.#routes.match(path, method);
    const start = { matched, next: 0, page: undefined, fallback: undefined, isFile: false };
    return this.#follow(method, path, start);
  }

  /** Resolves methods other than `GET` and `HEAD`, which can reach COMPUTE layers but not files. */
  #resolveOther(method: string, path: string): Resolution {
    const resolution = this.#route(method, path);
    return resolution.type === "missing" && this.hasFile(path) ? READ_ONLY : resolution;
  }

  /**
   * Follows the routes. Requests other than `GET` and `HEAD` skip files, and can reach a server in
   * a later layer. In the layers before the first server, a file whose URL has this path takes
   * precedence over a file that the path only refers to.
   */
  #follow(method: string, path: string, { matched, next, ...before }: Walk): Resolution {
    const reads = isReading(method);
    let { page, fallback, isFile } = before;
    let moved: FileAtPath | MovedFile | undefined;
    for (let at = next; at < matched.length; at++) {
      const route = matched[at]!;
      if (route.layer.target === "COMPUTE") {
        if (moved !== undefined) return moved;
        return { type: "compute", route, walk: { matched, next: at + 1, page, fallback, isFile } };
      }
      const table = this.#tables.get(route.layer.name)!;
      const found = findFile(table, path);
      if (found === undefined) {
        page ??= table.notFound;
        fallback ??= fallbackFor(table.fallback, path);
      } else if (!reads) isFile = true;
      else if (found.address === path) return { type: "file", file: found.file };
      else moved ??= this.#move(method, found);
      if (route.fallthrough) continue;
      if (moved !== undefined) return moved;
      return isFile ? READ_ONLY : { type: "missing", page: table.notFound, fallback };
    }
    if (moved !== undefined) return moved;
    return isFile ? READ_ONLY : { type: "missing", page: page ?? this.failurePage(404), fallback };
  }

  /** Redirects to the URL of a file, unless the routes find something else there. */
  #move(method: "GET" | "HEAD", { file, address }: FoundFile): FileAtPath | MovedFile {
    return this.#firstFile(method, address) === file
      ? { type: "moved", file, address }
      : { type: "file", file, isElsewhere: true };
  }

  /** Returns the file that is served at the URL, or `undefined` if a server takes precedence. */
  #firstFile(method: "GET" | "HEAD", address: string): StaticFile | undefined {
    for (const { layer, fallthrough } of this.#routes.match(address, method)) {
      if (layer.target === "COMPUTE") return undefined;
      const found = findFile(this.#tables.get(layer.name)!, address);
      if (found?.address === address) return found.file;
      if (!fallthrough) return undefined;
    }
    return undefined;
  }
}
