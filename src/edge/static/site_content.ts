/**
 * What a deployment holds: its routes and the files of its layers, compiled
 * once. Terminal routing (spec, "States and transitions") happens here.
 *
 * @module
 */
import { createRouteTable, type Manifest, type RouteTable } from "../../manifest/mod.ts";
import type { HeaderList } from "../header_list.ts";
import { createFileTable, type FileTable, findFile } from "./file_table.ts";
import type { SiteFile, StaticFile } from "./static_file.ts";

/** Where a request ends. */
export type Resolution =
  | { readonly type: "file"; readonly file: StaticFile }
  /** There is a file, but it can only be read. */
  | { readonly type: "read_only" }
  /** 404, with the layer's own page where it has one. */
  | { readonly type: "missing"; readonly page: StaticFile | undefined }
  /** A COMPUTE layer has to answer. */
  | { readonly type: "compute"; readonly layer: string };

const READ_ONLY: Resolution = Object.freeze({ type: "read_only" });

/** True for the methods that read. */
export function isReading(method: string): method is "GET" | "HEAD" {
  return method === "GET" || method === "HEAD";
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

  /** `common` are fields that every answer carries. */
  constructor(manifest: Manifest, files: readonly SiteFile[], common: HeaderList) {
    this.#routes = createRouteTable(manifest);
    const tables = new Map<string, FileTable>();
    for (const layer of manifest.layers) {
      if (layer.target !== "STATIC") continue;
      tables.set(layer.name, createFileTable(files, { directory: layer.directory, common }));
    }
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

  /** Other methods reach COMPUTE layers; to files they are not allowed. */
  #resolveOther(method: string, path: string): Resolution {
    const resolution = this.#route(method, path);
    if (resolution.type === "compute") return resolution;
    return resolution.type === "file" || this.hasFile(path) ? READ_ONLY : resolution;
  }

  #route(method: string, path: string): Resolution {
    let page: StaticFile | undefined;
    for (const route of this.#routes.match(path, method)) {
      if (route.layer.target === "COMPUTE") return { type: "compute", layer: route.layer.name };
      const table = this.#tables.get(route.layer.name)!;
      const file = findFile(table, path);
      if (file !== undefined) return { type: "file", file };
      page ??= table.notFound;
      if (!route.fallthrough) return { type: "missing", page: table.notFound };
    }
    return { type: "missing", page: page ?? this.#defaultPage };
  }
}
