/**
 * What a deployment holds: its routes and the files of its layers, compiled
 * once. Terminal routing (spec, "States and transitions") happens here.
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
import { type HeaderList, isReading } from "../messages/mod.ts";
import { createFileTable, type FileTable, findFile } from "./file_table.ts";
import { serverFilesTest } from "./server_files.ts";
import type { SiteFile, StaticFile } from "./static_file.ts";

/** Where a request ends. */
export type Resolution =
  | { readonly type: "file"; readonly file: StaticFile }
  /** There is a file, but it can only be read. */
  | { readonly type: "read_only" }
  /** 404, with the layer's own page where it has one. */
  | { readonly type: "missing"; readonly page: StaticFile | undefined }
  /** A COMPUTE layer has to answer. */
  | ComputeResolution;

/** A COMPUTE layer has to answer; where it says 404, `SiteContent.after()` may know more. */
export interface ComputeResolution {
  readonly type: "compute";
  readonly route: CompiledRoute;
  /** What was learnt on the way to the route. */
  readonly walk: Walk;
}

/** How far the routes of a request were followed. */
interface Walk {
  readonly matched: readonly CompiledRoute[];
  /** The next route to look at. */
  readonly next: number;
  /** The page of the first layer that has no such file. */
  readonly page: StaticFile | undefined;
  /** True where a file was passed by because it can only be read. */
  readonly isFile: boolean;
}

const READ_ONLY: Resolution = Object.freeze({ type: "read_only" });

/** Builds the tables of all STATIC layers. `common` are fields that every answer carries. */
export function* createFileTables(
  manifest: Manifest,
  files: readonly SiteFile[],
  common: HeaderList,
): Steps<ReadonlyMap<string, FileTable>> {
  const tables = new Map<string, FileTable>();
  for (const layer of manifest.layers) {
    if (layer.target !== "STATIC") continue;
    const isHidden = serverFilesTest(manifest.layers, layer);
    const { directory } = layer;
    tables.set(layer.name, yield* createFileTable(files, { directory, common, isHidden }));
  }
  return tables;
}

export class SiteContent {
  readonly #routes: RouteTable;
  readonly #tables: ReadonlyMap<string, FileTable>;
  /** Paths that were resolved to a file; each file has at most three such paths. */
  readonly #known: Readonly<Record<"GET" | "HEAD", Map<string, StaticFile>>> = {
    GET: new Map(),
    HEAD: new Map(),
  };
  readonly #defaultPage: StaticFile | undefined;

  /** `tables` are those that `createFileTables()` makes of the manifest's STATIC layers. */
  constructor(manifest: Manifest, tables: ReadonlyMap<string, FileTable>) {
    this.#routes = createRouteTable(manifest);
    this.#tables = tables;
    this.#defaultPage = [...tables.values()].find((table) => table.notFound !== undefined)
      ?.notFound;
  }

  /**
   * The file of a path that was resolved before; `undefined` says nothing. A
   * path that is found here is normalized.
   */
  known(method: "GET" | "HEAD", path: string): StaticFile | undefined {
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
   * Where a request goes on when the layer of a resolution has nothing at its
   * path: to the next route that takes it.
   */
  after(method: string, path: string, { walk }: ComputeResolution): Resolution {
    return this.#follow(method, path, walk);
  }

  #route(method: string, path: string): Resolution {
    const matched = this.#routes.match(path, method);
    return this.#follow(method, path, { matched, next: 0, page: undefined, isFile: false });
  }

  /** Other methods reach COMPUTE layers; to files they are not allowed. */
  #resolveOther(method: string, path: string): Resolution {
    const resolution = this.#route(method, path);
    return resolution.type === "missing" && this.hasFile(path) ? READ_ONLY : resolution;
  }

  /** A file that is there leaves what is no reading to the server behind it. */
  #follow(method: string, path: string, { matched, next, ...before }: Walk): Resolution {
    const reads = isReading(method);
    let { page, isFile } = before;
    for (let at = next; at < matched.length; at++) {
      const route = matched[at]!;
      if (route.layer.target === "COMPUTE") {
        return { type: "compute", route, walk: { matched, next: at + 1, page, isFile } };
      }
      const table = this.#tables.get(route.layer.name)!;
      const file = findFile(table, path);
      if (file !== undefined && reads) return { type: "file", file };
      if (file === undefined) page ??= table.notFound;
      else isFile = true;
      if (!route.fallthrough) return isFile ? READ_ONLY : { type: "missing", page: table.notFound };
    }
    return isFile ? READ_ONLY : { type: "missing", page: page ?? this.#defaultPage };
  }
}
