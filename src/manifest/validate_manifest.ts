/**
 * @module Validates a manifest against its schema and files, and finds all problems in one pass.
 */
import { describeValue } from "../lib/describe_value.ts";
import { checkLayers } from "./check_layers.ts";
import { checkRoutes, warnRoutes } from "./check_routes.ts";
import { checkShape, OBJECT } from "./check_shape.ts";
import { MAX_LAYERS, MAX_META_BYTES, MAX_PROBLEMS, MAX_ROUTES } from "./limits.ts";
import { parseRelativePath } from "./relative_path.ts";
import { layerSchemaFor, outlineSchema, routeSchema } from "./schema.ts";
import type { Layer, Manifest, ManifestProblem, ManifestResult, OutputFiles } from "./types.ts";

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Fields
    : undefined;
}

/** Returns the first `limit` items of a list, or an empty list if the value is not a list. */
function itemsOf(value: unknown, limit: number): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, limit) : [];
}

function checkOutline(value: unknown): ManifestProblem[] {
  const fields = fieldsOf(value);
  if (fields === undefined) {
    return [{ path: "", message: `Use a JSON object: it is ${describeValue(value, OBJECT)}` }];
  }
  const outline = {
    ...fields,
    ...(Array.isArray(fields.layers) ? { layers: [] } : {}),
    ...(Array.isArray(fields.routes) ? { routes: [] } : {}),
  };
  return [
    ...checkShape(outlineSchema, outline, { path: [], root: value }),
    ...checkCount("layers", fields.layers, MAX_LAYERS),
    ...checkCount("routes", fields.routes, MAX_ROUTES),
    ...checkMeta(fields.meta),
  ];
}

function checkCount(name: string, value: unknown, limit: number): ManifestProblem[] {
  if (!Array.isArray(value) || value.length <= limit) return [];
  return [{ path: name, message: `Use at most ${limit} ${name}: there are ${value.length}` }];
}

function checkMeta(meta: unknown): ManifestProblem[] {
  if (fieldsOf(meta) === undefined) return [];
  const bytes = jsonBytes(meta);
  if (bytes !== undefined && bytes <= MAX_META_BYTES) return [];
  const found = bytes === undefined ? "it is not valid JSON data" : `it has ${bytes}`;
  return [{
    path: "meta",
    message: `Use at most ${MAX_META_BYTES} bytes of JSON: ${found}`,
  }];
}

/**
 * Returns the length of a value as JSON, in UTF-8 bytes, or `undefined` if the value cannot be
 * written as JSON or is nested too deeply.
 */
function jsonBytes(value: unknown): number | undefined {
  try {
    return new TextEncoder().encode(JSON.stringify(value)).byteLength;
  } catch {
    return undefined;
  }
}

/**
 * Returns the sort key of a problem: general problems, then layer by layer, then route by route.
 */
function rank({ path }: ManifestProblem): number {
  const item = /^(layers|routes)\[(\d+)\]/.exec(path);
  if (item === null) return -1;
  return (item[1] === "routes" ? MAX_LAYERS : 0) + Number(item[2]);
}

/**
 * Sorts problems, and keeps one for each path and message, up to the limit. Counts the remaining
 * ones.
 */
function bounded(problems: readonly ManifestProblem[]): ManifestProblem[] {
  const unique = new Map(
    problems.map((problem) => [`${problem.path}\0${problem.message}`, problem]),
  );
  const all = [...unique.values()].sort((left, right) => rank(left) - rank(right));
  if (all.length <= MAX_PROBLEMS) return all;
  const rest = all.length - MAX_PROBLEMS;
  return [...all.slice(0, MAX_PROBLEMS), { path: "", message: `And ${rest} more problems` }];
}

function normalizePath(path: string): string {
  const result = parseRelativePath(path);
  return result.ok ? result.path : path;
}

function normalizeLayer(layer: Layer): Layer {
  const directory = normalizePath(layer.directory);
  return layer.target === "STATIC"
    ? { ...layer, directory }
    : { ...layer, directory, entry: normalizePath(layer.entry) };
}

/**
 * Validates a parsed manifest. Accepts any value, with lists of any length, and never throws. The
 * result has normalized paths (`./client/` becomes `client`), and is otherwise unchanged.
 */
export function validateManifest(value: unknown, files: OutputFiles): ManifestResult {
  const fields = fieldsOf(value) ?? {};
  const layers = itemsOf(fields.layers, MAX_LAYERS);
  const routes = itemsOf(fields.routes, MAX_ROUTES);
  const problems = bounded([
    ...checkOutline(value),
    ...layers.flatMap((layer, index) =>
      checkShape(layerSchemaFor(layer), layer, { path: ["layers", index], root: value })
    ),
    ...checkLayers(layers.map((layer) => fieldsOf(layer) ?? {}), files),
    ...routes.flatMap((route, index) =>
      checkShape(routeSchema, route, { path: ["routes", index], root: value })
    ),
    ...checkRoutes(
      routes.map((route) => fieldsOf(route) ?? {}),
      layers.map((layer) => fieldsOf(layer) ?? {}),
    ),
  ]);
  if (problems.length > 0) return { ok: false, problems };
  const manifest = value as Manifest;
  return {
    ok: true,
    manifest: { ...manifest, layers: manifest.layers.map(normalizeLayer) },
    warnings: warnRoutes(routes.map((route) => fieldsOf(route) ?? {})),
  };
}
