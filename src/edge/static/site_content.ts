/**
 * The routes of a deployment and the files of its layers, compiled once.
 * Terminal routing (spec, "States and transitions") happens here.
 *
 * @module
 */
import {
  type CompiledRoute,
  createRouteTable,
  type Manifest,
  type RouteTable,
} from "../../manifest/mod.ts";
import type { Steps } from "../../lib/next_turn.ts";
import type { HeaderList } from "../messages/header_list.ts";
import { isReading } from "../messages/messages.ts";
import { createFileTable, type Fallback, type FileTable, findFile } from "./file_table.ts";
import { serverFilesTest } from "./server_files.ts";
import type { SiteFile, StaticFile } from "./static_file.ts";

/** The final target of a request. */
export type Resolution =
  | { readonly type: "file"; readonly file: StaticFile }
  /** There is a file, but its method is neither `GET` nor `HEAD`. */
  | { readonly type: "read_only" }
  /** 404, with the layer's own page where it has one. */
  | {
    readonly type: "missing";
    readonly page: StaticFile | undefined;
    /** The page that replaces a 404 for documents. */
    readonly fallback: StaticFile | undefined;
  }
  /** A COMPUTE layer answers. */
  | ComputeResolution;

/** A COMPUTE layer answers; after a 404, `SiteContent.after()` finds the next route. */
export interface ComputeResolution {
  readonly type: "compute";
  readonly route: CompiledRoute;
  /** How far the routes were followed. */
  readonly walk: Walk;
}

/** How far the routes of a request were followed. */
interface Walk {
  readonly matched: readonly CompiledRoute[];
  /** Index of the next route to try. */
  readonly next: number;
  /** The 404 page of the first layer that lacks the file. */
  readonly page: StaticFile | undefined;
  /** The fallback of the first layer that lacks the file and has one for the path. */
  readonly fallback: StaticFile | undefined;
  /** Whether a file was skipped because the request does not read. */
  readonly isFile: boolean;
}

/** A last segment that names a kind of file: an asset, and no page of an app. */
const HAS_EXTENSION = /\.[^/.]+$/;

/** The fallback for a path without a file extension below its folder. */
function fallbackFor(fallback: Fallback | undefined, path: string): StaticFile | undefined {
  if (fallback === undefined || HAS_EXTENSION.test(path)) return undefined;
  return path.startsWith(fallback.below) || `${path}/` === fallback.below
    ? fallback.file
    : undefined;
}

const READ_ONLY: Resolution = Object.freeze({ type: "read_only" });

/** Builds the tables of all STATIC layers. `common` are fields that every response carries. */
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
    const options = { directory, common, isHidden, fallback };
    tables.set(layer.name, yield* createFileTable(files, options));
  }
  return tables;
}

/** Failures that a site can have its own page for, such as `502.html`. */
const PAGED_FAILURES = [401, 403, 404, 429, 500, 502, 503, 504] as const;

/** The pages for failures by their status: of each, that of the first layer that has one. */
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
  /** Paths that were resolved to a file; each file has three of them at most. */
  readonly #known: Readonly<Record<"GET" | "HEAD", Map<string, StaticFile>>> = {
    GET: new Map(),
    HEAD: new Map(),
  };
  readonly #failurePages: ReadonlyMap<number, StaticFile>;

  /** `tables` are those that `createFileTables()` makes of the manifest's STATIC layers. */
  constructor(manifest: Manifest, tables: ReadonlyMap<string, FileTable>) {
    this.#routes = createRouteTable(manifest);
    this.#tables = tables;
    this.#failurePages = failurePagesOf(tables);
  }

  /** The site's own page for a failure, such as its `502.html`. */
  failurePage(status: number): StaticFile | undefined {
    return this.#failurePages.get(status);
  }

  /**
   * Returns the file of a path that was resolved before; `undefined` says nothing.
   * A path that is found here is normalized.
   */
  knownFile(method: "GET" | "HEAD", path: string): StaticFile | undefined {
    return this.#known[method].get(path);
  }

  /** Resolves a normalized path for a method. */
  resolve(method: string, path: string): Resolution {
    if (!isReading(method)) return this.#resolveOther(method, path);
    const known = this.#known[method].get(path);
    if (known !== undefined) return { type: "file", file: known };
    const resolution = this.#route(method, path);
    if (resolution.type === "file") this.#known[method].set(path, resolution.file);
    return resolution;
  }

  /** Whether a static file answers the normalized path when it is read. */
  hasFile(path: string): boolean {
    return this.resolve("GET", path).type === "file";
  }

  /**
   * Resolves a request further, to the next route that matches, after the layer of
   * a resolution had nothing at its path.
   */
  after(method: string, path: string, { walk }: ComputeResolution): Resolution {
    return this.#follow(method, path, walk);
  }

  #route(method: string, path: string): Resolution {
    const matched = this.#routes.match(path, method);
    const start = { matched, next: 0, page: undefined, fallback: undefined, isFile: false };
    return this.#follow(method, path, start);
  }

  /** Methods that do not read reach COMPUTE layers, but not files. */
  #resolveOther(method: string, path: string): Resolution {
    const resolution = this.#route(method, path);
    return resolution.type === "missing" && this.hasFile(path) ? READ_ONLY : resolution;
  }

  /** Follows the routes; a request that does not read skips a file to a server behind it. */
  #follow(method: string, path: string, { matched, next, ...before }: Walk): Resolution {
    const reads = isReading(method);
    let { page, fallback, isFile } = before;
    for (let at = next; at < matched.length; at++) {
      const route = matched[at]!;
      if (route.layer.target === "COMPUTE") {
        return { type: "compute", route, walk: { matched, next: at + 1, page, fallback, isFile } };
      }
      const table = this.#tables.get(route.layer.name)!;
      const file = findFile(table, path);
      if (file !== undefined && reads) return { type: "file", file };
      if (file === undefined) {
        page ??= table.notFound;
        fallback ??= fallbackFor(table.fallback, path);
      } else isFile = true;
      if (route.fallthrough) continue;
      return isFile ? READ_ONLY : { type: "missing", page: table.notFound, fallback };
    }
    return isFile ? READ_ONLY : { type: "missing", page: page ?? this.failurePage(404), fallback };
  }
}
