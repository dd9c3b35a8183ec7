/**
 * The zod schemas of `.svc/manifest.json` (spec, "Build output manifest").
 * They hold what concerns one value by itself; what concerns several values
 * or the files of the output is in `validate_manifest.ts`.
 *
 * @module
 */
import { z } from "zod";
import {
  DEFAULT_MEMORY_MB,
  DEFAULT_TIMEOUT_MS,
  MANIFEST_VERSION,
  MAX_DIRECTORY_LENGTH,
  MAX_ENTRY_LENGTH,
  MAX_LAYERS,
  MAX_MEMORY_MB,
  MAX_META_BYTES,
  MAX_NAME_LENGTH,
  MAX_PATTERN_LENGTH,
  MAX_PRIORITY,
  MAX_REVALIDATE_SECONDS,
  MAX_ROUTES,
  MAX_TIMEOUT_MS,
  METHODS,
  MIN_MEMORY_MB,
  MIN_TIMEOUT_MS,
} from "./limits.ts";

const layerName = z.string().min(1).max(MAX_NAME_LENGTH).describe(
  "Name of the layer, unique among the layers; routes refer to it.",
);

const directory = z.string().min(1).max(MAX_DIRECTORY_LENGTH).describe(
  'Folder of the layer, relative to the output directory; "." is the output directory itself.',
);

export const staticLayerSchema = z.strictObject({
  name: layerName,
  target: z.literal("STATIC").describe("Files that are served as they are."),
  directory,
});

export const runtimeSchema = z.strictObject({
  timeoutMs: z.int().min(MIN_TIMEOUT_MS).max(MAX_TIMEOUT_MS).optional().describe(
    `Longest time for one answer, in milliseconds; ${DEFAULT_TIMEOUT_MS} where missing.`,
  ),
  memoryMb: z.int().min(MIN_MEMORY_MB).max(MAX_MEMORY_MB).optional().describe(
    `Memory of the server process, in MiB; ${DEFAULT_MEMORY_MB} where missing.`,
  ),
});

export const computeLayerSchema = z.strictObject({
  name: layerName,
  target: z.literal("COMPUTE").describe("A server process that answers requests."),
  directory,
  entry: z.string().min(1).max(MAX_ENTRY_LENGTH).describe(
    "Entry file of the server, relative to the output directory.",
  ),
  runtime: runtimeSchema.optional().describe("Resources of the server process."),
});

/** A layer whose target is not readable: the fields that all layers share. */
export const unknownLayerSchema = z.strictObject({
  name: layerName,
  target: z.enum(["STATIC", "COMPUTE"]),
  directory,
  entry: computeLayerSchema.shape.entry.optional(),
  runtime: runtimeSchema.optional(),
});

export const routeSchema = z.strictObject({
  pattern: z.string().min(1).max(MAX_PATTERN_LENGTH).describe(
    "Regular expression over the URL path, in RE2 syntax; it matches anywhere unless anchored with ^ and $.",
  ),
  layer: z.string().min(1).max(MAX_NAME_LENGTH).describe("Name of the layer that answers."),
  priority: z.number().min(-MAX_PRIORITY).max(MAX_PRIORITY).optional().describe(
    "Routes with a higher priority are checked earlier; 0 where missing.",
  ),
  methods: z.array(z.enum(METHODS)).min(1).max(METHODS.length).optional().describe(
    "HTTP methods that the route takes, GET includes HEAD; all methods where missing.",
  ),
  revalidate: z.int().min(0).max(MAX_REVALIDATE_SECONDS).optional().describe(
    "Cache time in seconds (ISR); only for COMPUTE layers.",
  ),
  fallthrough: z.boolean().optional().describe(
    "Whether a 404 of the layer goes on to the next matching route; true for STATIC layers and false for COMPUTE layers where missing.",
  ),
});

export const metaSchema = z.record(z.string(), z.unknown()).describe(
  `Free-form facts for the dashboard, at most ${MAX_META_BYTES} bytes of JSON.`,
);

const version = z.literal(MANIFEST_VERSION).describe("Version of the manifest format.");

const schemaReference = z.string().optional().describe("JSON Schema for editors; ignored.");

/** The top level with its lists unread, so that each item is judged by itself. */
export const outlineSchema = z.strictObject({
  $schema: schemaReference,
  version,
  layers: z.array(z.unknown()),
  routes: z.array(z.unknown()),
  meta: metaSchema.optional(),
});

/** The whole manifest, for its type and its JSON Schema. */
export const manifestSchema = z.strictObject({
  $schema: schemaReference,
  version,
  layers: z.array(z.discriminatedUnion("target", [staticLayerSchema, computeLayerSchema]))
    .max(MAX_LAYERS).describe("What is deployed."),
  routes: z.array(routeSchema).max(MAX_ROUTES).describe("Which layer answers which URL."),
  meta: metaSchema.optional(),
});
