/**
 * Validation of a manifest against its schema and the files of the output,
 * all problems in one pass. The tool and the platform use the same code.
 *
 * @module
 */
import type { PathStep } from "../lib/diagnostic.ts";
import type { z } from "zod";
import { checkLayers } from "./check_layers.ts";
import { checkRoutes } from "./check_routes.ts";
import { describeIssue, showValue } from "./describe_issue.ts";
import { MAX_LAYERS, MAX_META_BYTES, MAX_PROBLEMS, MAX_ROUTES } from "./limits.ts";
import { parseRelativePath } from "./relative_path.ts";
import {
  computeLayerSchema,
  outlineSchema,
  routeSchema,
  staticLayerSchema,
  unknownLayerSchema,
} from "./schema.ts";
import type { Layer, Manifest, ManifestProblem, ManifestResult, OutputFiles } from "./types.ts";

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Fields
    : undefined;
}

/** The first `limit` items of a list; none where it is no list. */
function itemsOf(value: unknown, limit: number): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, limit) : [];
}

function checkShape(
  schema: z.ZodObject,
  value: unknown,
  path: readonly PathStep[],
): ManifestProblem[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  const knownKeys = Object.keys(schema.shape).filter((key) => key !== "$schema");
  return result.error.issues.flatMap((issue) => describeIssue(issue, { path, value, knownKeys }));
}

function layerSchemaFor(layer: unknown): z.ZodObject {
  const target = fieldsOf(layer)?.target;
  if (target === "STATIC") return staticLayerSchema;
  return target === "COMPUTE" ? computeLayerSchema : unknownLayerSchema;
}

function checkOutline(value: unknown): ManifestProblem[] {
  const fields = fieldsOf(value);
  if (fields === undefined) {
    return [{ path: "", message: `Expected a JSON object, found ${showValue(value)}` }];
  }
  const lists = { layers: itemsOf(fields.layers, 0), routes: itemsOf(fields.routes, 0) };
  const outline = {
    ...fields,
    ...(Array.isArray(fields.layers) ? { layers: lists.layers } : {}),
    ...(Array.isArray(fields.routes) ? { routes: lists.routes } : {}),
  };
  return [
    ...checkShape(outlineSchema, outline, []),
    ...checkCount("layers", fields.layers, MAX_LAYERS),
    ...checkCount("routes", fields.routes, MAX_ROUTES),
    ...checkMeta(fields.meta),
  ];
}

function checkCount(name: string, value: unknown, limit: number): ManifestProblem[] {
  if (!Array.isArray(value) || value.length <= limit) return [];
  return [{ path: name, message: `Expected at most ${limit} ${name}, found ${value.length}` }];
}

function checkMeta(meta: unknown): ManifestProblem[] {
  if (fieldsOf(meta) === undefined) return [];
  const bytes = jsonBytes(meta);
  if (bytes !== undefined && bytes <= MAX_META_BYTES) return [];
  const found = bytes === undefined ? "what is no JSON" : `${bytes}`;
  return [{
    path: "meta",
    message: `Expected at most ${MAX_META_BYTES} bytes of JSON, found ${found}`,
  }];
}

/** Length of a value's JSON in UTF-8 bytes; `undefined` where it has none or nests too deep. */
function jsonBytes(value: unknown): number | undefined {
  try {
    return new TextEncoder().encode(JSON.stringify(value)).byteLength;
  } catch {
    return undefined;
  }
}

/** Position of a problem: what concerns the whole, then layer by layer, then route by route. */
function rank({ path }: ManifestProblem): number {
  const item = /^(layers|routes)\[(\d+)\]/.exec(path);
  if (item === null) return -1;
  return (item[1] === "routes" ? MAX_LAYERS : 0) + Number(item[2]);
}

/** Sorts problems, keeps the first of each path and message, and counts what is too many. */
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
 * Validates a parsed manifest. The value may be anything, its lists of any
 * length; nothing is thrown. The manifest that comes back has its paths
 * normalized (`./client/` becomes `client`) and is otherwise as written.
 */
export function validateManifest(value: unknown, files: OutputFiles): ManifestResult {
  const fields = fieldsOf(value) ?? {};
  const layers = itemsOf(fields.layers, MAX_LAYERS);
  const routes = itemsOf(fields.routes, MAX_ROUTES);
  const problems = bounded([
    ...checkOutline(value),
    ...layers.flatMap((layer, index) =>
      checkShape(layerSchemaFor(layer), layer, ["layers", index])
    ),
    ...checkLayers(layers.map((layer) => fieldsOf(layer) ?? {}), files),
    ...routes.flatMap((route, index) => checkShape(routeSchema, route, ["routes", index])),
    ...checkRoutes(
      routes.map((route) => fieldsOf(route) ?? {}),
      layers.map((layer) => fieldsOf(layer) ?? {}),
    ),
  ]);
  if (problems.length > 0) return { ok: false, problems };
  const manifest = value as Manifest;
  return { ok: true, manifest: { ...manifest, layers: manifest.layers.map(normalizeLayer) } };
}
