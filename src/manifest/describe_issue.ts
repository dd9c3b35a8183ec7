/**
 * What zod found wrong, in the words of svc.
 *
 * @module
 */
import { formatPath, type PathStep } from "../lib/diagnostic.ts";
import { nearest } from "../lib/suggest.ts";
import type { z } from "zod";
import {
  MANIFEST_VERSION,
  MAX_DIRECTORY_LENGTH,
  MAX_ENTRY_LENGTH,
  MAX_MEMORY_MB,
  MAX_NAME_LENGTH,
  MAX_PATTERN_LENGTH,
  MAX_PRIORITY,
  MAX_REVALIDATE_SECONDS,
  MAX_TIMEOUT_MS,
  METHODS,
  MIN_MEMORY_MB,
  MIN_TIMEOUT_MS,
} from "./limits.ts";
import type { ManifestProblem } from "./types.ts";

/** Longest value that is quoted in a message, in characters. */
const MAX_SHOWN = 40;

/** What each field must be, by its name; names are unique but for `layer` and `layers[]`. */
const WANTED: Readonly<Record<string, string>> = {
  $schema: "a text",
  version: `the number ${MANIFEST_VERSION}`,
  layers: "a list of layers",
  routes: "a list of routes",
  meta: "an object",
  name: `a text of 1 to ${MAX_NAME_LENGTH} characters`,
  target: '"STATIC" or "COMPUTE"',
  directory: `a path of 1 to ${MAX_DIRECTORY_LENGTH} characters`,
  entry: `a path of 1 to ${MAX_ENTRY_LENGTH} characters`,
  runtime: "an object",
  timeoutMs: `a whole number from ${MIN_TIMEOUT_MS} to ${MAX_TIMEOUT_MS}`,
  memoryMb: `a whole number from ${MIN_MEMORY_MB} to ${MAX_MEMORY_MB}`,
  pattern: `a regular expression of 1 to ${MAX_PATTERN_LENGTH} characters`,
  layer: `the name of a layer, a text of 1 to ${MAX_NAME_LENGTH} characters`,
  priority: `a number from -${MAX_PRIORITY} to ${MAX_PRIORITY}`,
  methods: "a list of one or more different HTTP methods",
  revalidate: `a whole number of seconds from 0 to ${MAX_REVALIDATE_SECONDS}`,
  fallthrough: "true or false",
};

function wanted(path: readonly PathStep[]): string {
  const last = path.at(-1);
  if (typeof last === "string") return WANTED[last] ?? "another value";
  const list = path.at(-2);
  if (list === "methods") return `one of ${METHODS.join(", ")}`;
  return list === undefined ? "a JSON object" : "an object";
}

/** Names a value's kind, and shows it where it is short. */
export function showValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  if (typeof value === "string") {
    const shown = value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value;
    return value.length > MAX_SHOWN
      ? `${JSON.stringify(shown)} (${value.length} characters)`
      : JSON.stringify(shown);
  }
  return typeof value === "number" || typeof value === "boolean" ? String(value) : typeof value;
}

/** Fields that other formats have, with what to do about them here. */
const LEGACY: Readonly<Record<string, string>> = {
  middleware:
    'The field "middleware" is no longer part of the manifest: remove it and publish the code as a function in functions/, called by a pipeline rule in svc.rules.toml',
  redirects: "Redirects are no part of the manifest: write them as edge rules in svc.rules.toml",
  rewrites: "Rewrites are no part of the manifest: write them as edge rules in svc.rules.toml",
  headers: "Headers are no part of the manifest: write them as edge rules in svc.rules.toml",
  functions: "Functions are no part of the manifest: put their code in functions/",
};

const COMPUTE_ONLY = new Set(["entry", "runtime"]);

function unknownKey(key: string, known: readonly string[]): string {
  const legacy = Object.hasOwn(LEGACY, key) ? LEGACY[key] : undefined;
  if (legacy !== undefined) return legacy;
  if (COMPUTE_ONLY.has(key) && !known.includes(key) && known.includes("target")) {
    return `Only a layer with the target "COMPUTE" has the field "${key}"`;
  }
  const suggestion = nearest(key, known);
  return suggestion === undefined
    ? `Unknown field: expected one of ${known.join(", ")}`
    : `Unknown field: did you mean "${suggestion}"?`;
}

function valueAt(root: unknown, path: readonly PathStep[]): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) {
      return undefined;
    }
    value = (value as Record<PathStep, unknown>)[step];
  }
  return value;
}

function describeValue(value: unknown, path: readonly PathStep[]): string {
  if (value === undefined) return `Missing: expected ${wanted(path)}`;
  if (Array.isArray(value) && value.length === 0) return `Expected ${wanted(path)}, found none`;
  const upper = typeof value === "string" ? value.toUpperCase() : undefined;
  const inUpperCase = upper !== value && upper !== undefined &&
    (path.at(-1) === "target" || path.at(-2) === "methods") && wanted(path).includes(upper);
  const hint = inUpperCase ? `; write "${upper}"` : "";
  return `Expected ${wanted(path)}, found ${showValue(value)}${hint}`;
}

/** What a part of the manifest is called, what it holds, and what it may hold. */
export interface Part {
  readonly path: readonly PathStep[];
  readonly value: unknown;
  readonly knownKeys: readonly string[];
}

const RUNTIME_KEYS = ["timeoutMs", "memoryMb"];

/** Turns one zod issue of a part into problems: one per unknown key, else one. */
export function describeIssue(issue: z.core.$ZodIssue, part: Part): ManifestProblem[] {
  const inner = issue.path as PathStep[];
  const path = [...part.path, ...inner];
  if (issue.code === "unrecognized_keys") {
    const known = inner.length === 0 ? part.knownKeys : RUNTIME_KEYS;
    return issue.keys.map((key) => ({
      path: formatPath([...path, key.slice(0, MAX_NAME_LENGTH)]),
      message: unknownKey(key, known),
    }));
  }
  return [{ path: formatPath(path), message: describeValue(valueAt(part.value, inner), path) }];
}
