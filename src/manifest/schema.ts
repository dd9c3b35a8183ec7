/**
 * @module The zod schemas of `.svc/manifest.json` (docs/manifest.md). They check single values,
 * while checks that involve several values or the output's files are in `validate_manifest.ts`.
 */
import * as z from "zod";
import { TRAILING_SLASHES } from "../lib/page_urls.ts";
import { PROTECTIONS } from "../lib/protection.ts";
import { CHECK_FIELDS, releaseChecksSchema } from "./release_checks_schema.ts";
import { fieldOf } from "../lib/schema_problems.ts";
import { blobsSchema } from "./blob_settings.ts";
import { databaseSchema } from "./database_settings.ts";
import { imagesSchema } from "./image_settings.ts";
import { cronTaskSchema, cronTasksSchema } from "./cron_tasks.ts";
import { formSchema, formsSchema } from "./forms.ts";
import { queueSchema, queuesSchema } from "./queues.ts";
import {
  ABSOLUTE_PATH,
  COMMAND,
  DEFAULT_KEEP_ASSETS_SECONDS,
  DEFAULT_MEMORY_MB,
  DEFAULT_SKEW_SECONDS,
  DEFAULT_START_TIMEOUT_MS,
  DEFAULT_TIMEOUT_MS,
  DEFAULT_TMP_MB,
  ENGINES,
  HEALTH_PATH,
  MANIFEST_VERSION,
  MAX_COMMAND_LENGTH,
  MAX_DIRECTORY_LENGTH,
  MAX_ENTRY_LENGTH,
  MAX_HEALTH_LENGTH,
  MAX_IMAGE_ARGUMENTS,
  MAX_IMAGE_VARIABLES,
  MAX_KEEP_ASSETS_SECONDS,
  MAX_LAYERS,
  MAX_MEMORY_MB,
  MAX_META_BYTES,
  MAX_NAME_LENGTH,
  MAX_PAGE_IDS,
  MAX_PATTERN_LENGTH,
  MAX_REVALIDATE_SECONDS,
  MAX_ROUTES,
  MAX_SKEW_SECONDS,
  MAX_START_TIMEOUT_MS,
  MAX_TIMEOUT_MS,
  MAX_TMP_MB,
  METHODS,
  MIN_MEMORY_MB,
  MIN_START_TIMEOUT_MS,
  MIN_TIMEOUT_MS,
  NODE_VERSION,
  PAGE_ID,
  VARIABLE_NAME,
  WITHOUT_NUL,
} from "./limits.ts";

const WANTED_OBJECT = "Use an object";

const text = (wanted: string, maximum: number) =>
  z.string(wanted).min(1, wanted).max(maximum, wanted);

const integer = (wanted: string, minimum: number, maximum: number) =>
  z.int(wanted).min(minimum, wanted).max(maximum, wanted);

const layerName = text(`Use a name of 1 to ${MAX_NAME_LENGTH} characters`, MAX_NAME_LENGTH)
  .describe(
    "Name of the layer, unique in the manifest. Routes refer to it.",
  );

const WANTED_DIRECTORY = `Use a path of 1 to ${MAX_DIRECTORY_LENGTH} characters`;
const directory = text(WANTED_DIRECTORY, MAX_DIRECTORY_LENGTH).describe(
  'Folder of the layer, relative to the output directory; "." is the output directory itself.',
);

const WANTED_FALLBACK = `Use a path of 1 to ${MAX_ENTRY_LENGTH} characters`;

export const staticLayerSchema = z.strictObject({
  name: layerName,
  target: z.literal("STATIC").describe("Files that the edge serves unchanged."),
  directory,
  fallback: text(WANTED_FALLBACK, MAX_ENTRY_LENGTH).optional().describe(
    "Page to serve for documents without a file, as single-page apps need, relative to the output directory. It applies to paths below its folder without a file extension, for GET and HEAD with text/html in Accept. Default: none.",
  ),
}, WANTED_OBJECT);

const WANTED_TIMEOUT =
  `Use a whole number of milliseconds from ${MIN_TIMEOUT_MS} to ${MAX_TIMEOUT_MS}`;
const WANTED_MEMORY = `Use a whole number of MiB from ${MIN_MEMORY_MB} to ${MAX_MEMORY_MB}`;

const WANTED_NODE = 'Use a version such as "24" or "24.1.0"';
const WANTED_TMP = `Use a whole number of MiB from 1 to ${MAX_TMP_MB}`;
const WANTED_HEALTH =
  `Use a path of at most ${MAX_HEALTH_LENGTH} characters that begins with / and has no spaces`;

const WANTED_COMMAND = `Use a shell command of 1 to ${MAX_COMMAND_LENGTH} characters`;
const WANTED_START =
  `Use a whole number of milliseconds from ${MIN_START_TIMEOUT_MS} to ${MAX_START_TIMEOUT_MS}`;

const WANTED_ARGUMENT = `Use text of at most ${MAX_COMMAND_LENGTH} characters`;
const WANTED_ARGUMENTS = `Use a list of 1 to ${MAX_IMAGE_ARGUMENTS} arguments`;
const WANTED_VARIABLES = `Use an object with at most ${MAX_IMAGE_VARIABLES} variables`;
const WANTED_WORKDIR = "Use an absolute path";

const argument = z.string(WANTED_ARGUMENT).max(MAX_COMMAND_LENGTH, WANTED_ARGUMENT)
  .regex(WITHOUT_NUL, WANTED_ARGUMENT);

const imageSchema = z.strictObject({
  directory: directory.describe("Folder with the image's files, relative to the output directory."),
  args: z.array(argument, WANTED_ARGUMENTS).min(1, WANTED_ARGUMENTS)
    .max(MAX_IMAGE_ARGUMENTS, WANTED_ARGUMENTS).describe(
      "Path of the program in the image, followed by its arguments.",
    ),
  env: z.record(z.string().regex(VARIABLE_NAME, "Use a name without ="), argument, WANTED_VARIABLES)
    .refine((env) => Object.keys(env).length <= MAX_IMAGE_VARIABLES, WANTED_VARIABLES)
    .describe("Variables of the image. The project's variables override them."),
  workdir: text(WANTED_WORKDIR, MAX_DIRECTORY_LENGTH).regex(ABSOLUTE_PATH, WANTED_WORKDIR)
    .describe("Folder in the image in which the program starts."),
}, WANTED_OBJECT);

const runtimeSchema = z.strictObject({
  timeoutMs: integer(WANTED_TIMEOUT, MIN_TIMEOUT_MS, MAX_TIMEOUT_MS).optional().describe(
    `Maximum time for a response, in milliseconds. Default: ${DEFAULT_TIMEOUT_MS}.`,
  ),
  memoryMb: integer(WANTED_MEMORY, MIN_MEMORY_MB, MAX_MEMORY_MB).optional().describe(
    `Memory of the server process, in MiB. Default: ${DEFAULT_MEMORY_MB}.`,
  ),
  engine: z.enum(ENGINES, 'Use "deno", "node" or "command"').optional().describe(
    'Engine of the server: "deno" (one bundled module in the Deno sandbox), "node" (files and packages on Node) or "command" (any program that listens on $PORT). Default: "deno".',
  ),
  nodeVersion: z.string(WANTED_NODE).regex(NODE_VERSION, WANTED_NODE).optional().describe(
    'Node version for the engine "node".',
  ),
  tmpMb: integer(WANTED_TMP, 1, MAX_TMP_MB).optional().describe(
    `Size of the folder for temporary files, in MiB. Default: ${DEFAULT_TMP_MB}.`,
  ),
  healthPath: text(WANTED_HEALTH, MAX_HEALTH_LENGTH).regex(HEALTH_PATH, WANTED_HEALTH).optional()
    .describe(
      "Path of the health check before the server goes live. Its status must be 200 to 399. Default: / with any status.",
    ),
  command: text(WANTED_COMMAND, MAX_COMMAND_LENGTH).regex(COMMAND, WANTED_COMMAND).optional()
    .describe(
      'Shell command that starts the server in the deployment folder. The engine "command" requires it; the engine "node" runs the entry by default.',
    ),
  startTimeoutMs: integer(WANTED_START, MIN_START_TIMEOUT_MS, MAX_START_TIMEOUT_MS).optional()
    .describe(
      "Time limit for the server to start listening, in milliseconds. Default: " +
        `${DEFAULT_START_TIMEOUT_MS}.`,
    ),
  image: imageSchema.optional().describe(
    'Root file system in which the server starts, for the engine "command": the files of a container image, and how to start it. A "command" starts in it too.',
  ),
}, WANTED_OBJECT);

const WANTED_ENTRY = `Use a path of 1 to ${MAX_ENTRY_LENGTH} characters`;

export const computeLayerSchema = z.strictObject({
  name: layerName,
  target: z.literal("COMPUTE").describe("A server process that handles requests."),
  directory,
  entry: text(WANTED_ENTRY, MAX_ENTRY_LENGTH).describe(
    "Entry file of the server, relative to the output directory.",
  ),
  runtime: runtimeSchema.optional().describe("Resources of the server process."),
}, WANTED_OBJECT);

/** The fields of both kinds of layers, for a layer with an invalid target. */
const unknownLayerSchema = z.strictObject({
  name: layerName,
  target: z.enum(["STATIC", "COMPUTE"], 'Use "STATIC" or "COMPUTE"'),
  directory,
  fallback: staticLayerSchema.shape.fallback,
  entry: computeLayerSchema.shape.entry.optional(),
  runtime: runtimeSchema.optional(),
}, WANTED_OBJECT);

/** Returns the schema for a layer's target. */
export function layerSchemaFor(layer: unknown): z.ZodObject {
  const target = fieldOf(layer, "target");
  if (target === "STATIC") return staticLayerSchema;
  return target === "COMPUTE" ? computeLayerSchema : unknownLayerSchema;
}

const WANTED_PATTERN = `Use a regular expression of 1 to ${MAX_PATTERN_LENGTH} characters`;
const WANTED_LAYER = `Use the name of a layer, 1 to ${MAX_NAME_LENGTH} characters`;
const WANTED_PRIORITY = "Use a number";
const WANTED_METHODS = "Use a list of one or more HTTP methods";
const WANTED_REVALIDATE = `Use a whole number of seconds from 0 to ${MAX_REVALIDATE_SECONDS}`;

export const routeSchema = z.strictObject({
  pattern: text(WANTED_PATTERN, MAX_PATTERN_LENGTH).describe(
    "Regular expression over the URL path, in RE2 syntax; it matches anywhere unless anchored with ^ and $.",
  ),
  layer: text(WANTED_LAYER, MAX_NAME_LENGTH).describe(
    "Name of the layer that handles the request.",
  ),
  priority: z.number(WANTED_PRIORITY).optional().describe(
    "Routes with a higher priority are checked first. Default: 0.",
  ),
  methods: z.array(z.enum(METHODS, `Use one of ${METHODS.join(", ")}`), WANTED_METHODS)
    .min(1, WANTED_METHODS).max(METHODS.length, WANTED_METHODS).optional().describe(
      "HTTP methods that the route accepts; GET includes HEAD. Default: all.",
    ),
  revalidate: integer(WANTED_REVALIDATE, 0, MAX_REVALIDATE_SECONDS).optional().describe(
    "Cache time in seconds (ISR); only for COMPUTE layers.",
  ),
  fallthrough: z.boolean("Use true or false").optional().describe(
    "Whether a 404 continues with the next matching route. Default: true for STATIC layers, false for COMPUTE layers.",
  ),
}, WANTED_OBJECT);

const metaSchema = z.record(z.string(), z.unknown(), WANTED_OBJECT).describe(
  `Free-form data for the dashboard, at most ${MAX_META_BYTES} bytes of JSON.`,
);

const cron = cronTasksSchema.optional().describe(
  "Requests that the platform sends to the live production deployment's server on a schedule.",
);

const queues = queuesSchema.optional().describe(
  "Server routes to which the platform sends queue messages.",
);

const forms = formsSchema.optional().describe(
  "Forms whose submissions the platform accepts at /_svc/forms/<name>.",
);

const WANTED_CPU = "Use a whole number of milliseconds from 50 to 10000";

/** Limits for the deployment's functions. */
const functionLimitsSchema = z.strictObject({
  cpuMs: z.int(WANTED_CPU).min(50, WANTED_CPU).max(10_000, WANTED_CPU).optional().describe(
    "Maximum CPU time of a function call, in milliseconds: 50 to 10000. Default: 1000.",
  ),
}, WANTED_OBJECT);
export type FunctionSettings = Readonly<z.infer<typeof functionLimitsSchema>>;

const functionLimits = functionLimitsSchema.optional().describe(
  "Limits of the deployment's functions.",
);

const version = z.literal(MANIFEST_VERSION, `Use the number ${MANIFEST_VERSION}`).describe(
  "Version of the manifest format.",
);

const schemaReference = z.string("Use a string").optional().describe(
  "JSON Schema for editors; ignored.",
);

const vitals = z.boolean("Use true or false").optional().describe(
  "Whether /_svc/vitals.js measures visitors' web vitals. Default: false.",
);

const protection = z.enum(PROTECTIONS, `Use ${PROTECTIONS.map((each) => `"${each}"`).join(", ")}`)
  .optional().describe(
    "Who can visit the deployment; overrides the project's setting. `off`: everyone; `members`: members of the workspace; `password`: members, and anyone with the project's password; `all`: like `members`, but also in production.",
  );

const checks = releaseChecksSchema.optional().describe(
  "Requests and commands that must succeed before production serves the deployment.",
);

const WANTED_SWITCH = "Use true or false";
const pageUrlsSchema = z.strictObject({
  trailingSlash: z.enum(TRAILING_SLASHES, 'Use "auto", "always" or "never"').optional().describe(
    "Whether page URLs end with a slash: `auto` (only for folders), `always` or `never`. " +
      "Default: `auto`.",
  ),
  cleanUrls: z.boolean(WANTED_SWITCH).optional().describe(
    "Whether page URLs leave out `.html`. Default: true.",
  ),
  ignoreCase: z.boolean(WANTED_SWITCH).optional().describe(
    "Whether a URL that differs only in case redirects to the file. Default: false.",
  ),
}, WANTED_OBJECT);

const urls = pageUrlsSchema.optional().describe(
  "Canonical URLs of pages in STATIC layers. A page's other URLs redirect to its canonical URL.",
);

const keepAssetsSeconds = integer(
  `Use a whole number of seconds from 0 to ${MAX_KEEP_ASSETS_SECONDS}`,
  0,
  MAX_KEEP_ASSETS_SECONDS,
).optional().describe(
  `How long production serves hashed assets of earlier deployments that this one lacks, in ` +
    `seconds. Default: ${DEFAULT_KEEP_ASSETS_SECONDS}; 0 turns it off.`,
);

const skewSeconds = integer(
  `Use a whole number of seconds from 0 to ${MAX_SKEW_SECONDS}`,
  0,
  MAX_SKEW_SECONDS,
).optional().describe(
  `How long earlier deployments respond to requests from their pages while this one is live, ` +
    `in seconds. Default: ${DEFAULT_SKEW_SECONDS}; 0 turns it off.`,
);

const WANTED_PAGE_IDS =
  `Use a list of at most ${MAX_PAGE_IDS} IDs of 1 to 128 letters, digits and any of _ . : -`;
const pageIds = z.array(z.string(WANTED_PAGE_IDS).regex(PAGE_ID, WANTED_PAGE_IDS), WANTED_PAGE_IDS)
  .max(MAX_PAGE_IDS, WANTED_PAGE_IDS).optional().describe(
    "Additional IDs that the deployment's pages use in requests to identify it.",
  );

/** The whole manifest, used for its type and its JSON Schema. */
export const manifestSchema = z.strictObject({
  $schema: schemaReference,
  version,
  layers: z.array(z.discriminatedUnion("target", [staticLayerSchema, computeLayerSchema]))
    .max(MAX_LAYERS).describe("Content of the deployment."),
  routes: z.array(routeSchema).max(MAX_ROUTES).describe("Layers by URL."),
  images: imagesSchema.optional().describe("Image conversion: sizes, formats and sources."),
  blobs: blobsSchema.optional().describe("Objects in the blob store that the site serves."),
  database: databaseSchema.optional().describe("Database branches for previews."),
  cron,
  queues,
  forms,
  functionLimits,
  vitals,
  protection,
  checks,
  urls,
  keepAssetsSeconds,
  skewSeconds,
  pageIds,
  meta: metaSchema.optional(),
});

/** The top level of a manifest with unparsed lists, whose items are checked separately. */
export const outlineSchema = manifestSchema.extend({
  layers: z.array(z.unknown(), "Use a list of layers"),
  routes: z.array(z.unknown(), "Use a list of routes"),
});

/** The fields of each part of a manifest. The fields of a layer depend on its target. */
export const FIELDS = {
  manifest: Object.keys(outlineSchema.shape).filter((key) => key !== "$schema"),
  runtime: Object.keys(runtimeSchema.shape),
  image: Object.keys(imageSchema.shape),
  route: Object.keys(routeSchema.shape),
  images: Object.keys(imagesSchema.shape),
  blobs: Object.keys(blobsSchema.shape),
  database: Object.keys(databaseSchema.shape),
  cron: Object.keys(cronTaskSchema.shape),
  queues: Object.keys(queueSchema.shape),
  forms: Object.keys(formSchema.shape),
  functionLimits: Object.keys(functionLimitsSchema.shape),
  ...CHECK_FIELDS,
  urls: Object.keys(pageUrlsSchema.shape),
};

/** Returns the JSON Schema for `.svc/manifest.json`, used by editors. */
export function manifestJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(manifestSchema, { io: "input" });
  return {
    $schema,
    title: "svc build output manifest",
    description: "Reference: docs/manifest.md",
    ...schema,
  };
}
