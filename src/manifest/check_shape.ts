/** @module Checks the shape of each part of a manifest on its own. */
import type * as z from "zod";
import { formatPath, type PathStep } from "../lib/diagnostic.ts";
import {
  describeIssues,
  type DocumentFormat,
  type DocumentPart,
  fieldOf,
  type SchemaProblem,
  valueAt,
} from "../lib/schema_problems.ts";
import { MAX_NAME_LENGTH } from "./limits.ts";
import { FIELDS, layerSchemaFor } from "./schema.ts";
import type { ManifestProblem } from "./types.ts";

/** The term for a JSON object in messages. */
export const OBJECT = "an object";

/** Fields of other formats, with their equivalents in the manifest. */
const LEGACY: Readonly<Record<string, string>> = {
  middleware:
    'The field "middleware" is no longer part of the manifest: remove it and publish the code as a function in functions/, called by a pipeline rule in svc.rules.toml',
  redirects: "The manifest has no redirects: write them as edge rules in svc.rules.toml",
  rewrites: "The manifest has no rewrites: write them as edge rules in svc.rules.toml",
  headers: "The manifest has no headers: write them as edge rules in svc.rules.toml",
  functions: "The manifest has no functions: put their code in functions/",
};

const COMPUTE_ONLY = new Set(["entry", "runtime"]);

function partAt(path: readonly PathStep[], root: unknown): DocumentPart {
  switch (path.findLast((step) => typeof step === "string")) {
    case undefined:
      return { name: "the manifest", fields: FIELDS.manifest };
    case "runtime":
      return { name: "the runtime", fields: FIELDS.runtime };
    case "image":
      return { name: "the image", fields: FIELDS.image };
    case "routes":
      return { name: "a route", fields: FIELDS.route };
    case "images":
      return { name: "images", fields: FIELDS.images };
    case "endpoints":
      return { name: "an endpoint", fields: ["path", "style"] };
    case "cron":
      return { name: "a task", fields: FIELDS.cron };
    case "queues":
      return { name: "a queue", fields: FIELDS.queues };
    case "database":
      return { name: "the database", fields: FIELDS.database };
    case "forms":
      return { name: "a form", fields: FIELDS.forms };
    case "checks":
      return { name: "the checks", fields: FIELDS.checks };
    case "requests":
      return { name: "a check request", fields: FIELDS.request };
    case "expect":
      return { name: "an expectation", fields: FIELDS.expectation };
    case "urls":
      return { name: "the page URLs", fields: FIELDS.urls };
    case "functionLimits":
      return { name: "the function limits", fields: FIELDS.functionLimits };
    default: {
      const layer = valueAt(root, path);
      const target = fieldOf(layer, "target");
      const name = target === "STATIC" || target === "COMPUTE" ? `a ${target} layer` : "a layer";
      return { name, fields: Object.keys(layerSchemaFor(layer).shape) };
    }
  }
}

function formatOf(root: unknown): DocumentFormat {
  return {
    root,
    table: OBJECT,
    partAt: (path) => partAt(path, root),
    describeKey(path, key) {
      const message = Object.hasOwn(LEGACY, key)
        ? LEGACY[key]
        : COMPUTE_ONLY.has(key) && partAt(path, root).name === "a STATIC layer"
        ? `Remove "${key}": only layers with the target "COMPUTE" have it`
        : undefined;
      return message === undefined ? undefined : { message, hint: undefined };
    },
  };
}

const shortened = (step: PathStep): PathStep =>
  typeof step === "string" ? step.slice(0, MAX_NAME_LENGTH) : step;

/** Joins a message and its hint on one line, because manifest problems have no separate hints. */
function inOneLine({ message, hint }: SchemaProblem): string {
  return hint === undefined
    ? message
    : `${message}; ${hint.charAt(0).toLowerCase()}${hint.slice(1)}`;
}

/**
 * Checks a part of a manifest. `path` is the part's position, and `root` is the whole untyped
 * manifest.
 */
export function checkShape(
  schema: z.ZodObject,
  part: unknown,
  { path, root }: { readonly path: readonly PathStep[]; readonly root: unknown },
): ManifestProblem[] {
  const result = schema.safeParse(part);
  if (result.success) return [];
  return describeIssues(result.error.issues, path, formatOf(root)).map((problem) => ({
    path: formatPath(problem.path.map(shortened)),
    message: inOneLine(problem),
  }));
}
