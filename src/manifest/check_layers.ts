/** @module Checks across layers, or between a layer and the output's files. */
import { formatPath } from "../lib/diagnostic.ts";
import { fieldOf } from "../lib/schema_problems.ts";
import { nearest } from "../lib/suggest.ts";
import { MAX_DIRECTORY_LENGTH, MAX_ENTRY_LENGTH, MAX_NAME_LENGTH } from "./limits.ts";
import { hasControlCharacter, parseRelativePath } from "./relative_path.ts";
import type { ManifestProblem, OutputFiles } from "./types.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the value if it is a string within its field's limit. Only such strings are checked
 * further.
 */
function textWithin(value: unknown, limit: number): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= limit ? value : undefined;
}

function checkNames(layers: readonly Fields[]): ManifestProblem[] {
  const firstByName = new Map<string, number>();
  return layers.flatMap((layer, index) => {
    const name = textWithin(layer.name, MAX_NAME_LENGTH);
    if (name === undefined) return [];
    const path = formatPath(["layers", index, "name"]);
    if (hasControlCharacter(name) || !name.isWellFormed()) {
      return [{ path, message: "The name contains a non-printable character" }];
    }
    const first = firstByName.get(name);
    if (first === undefined) {
      firstByName.set(name, index);
      return [];
    }
    return [{ path, message: `Name ${JSON.stringify(name)} is already used by layers[${first}]` }];
  });
}

function checkDirectory(value: unknown, path: string, files: OutputFiles): ManifestProblem[] {
  const text = textWithin(value, MAX_DIRECTORY_LENGTH);
  if (text === undefined) return [];
  const result = parseRelativePath(text);
  if (!result.ok) return [{ path, message: `Path ${JSON.stringify(text)} ${result.reason}` }];
  if (files.hasDirectory(result.path)) return [];
  const found = files.hasFile(result.path)
    ? `${JSON.stringify(text)} is a file: expected a folder`
    : `Cannot find a file below ${JSON.stringify(text)} in the output directory`;
  return [{ path, message: found }];
}

/** Suggests a path in the layer's own folder that the author may have meant as the entry. */
function entryHint(layer: Fields, entry: string, files: OutputFiles): string {
  const directory = textWithin(layer.directory, MAX_DIRECTORY_LENGTH);
  const result = directory === undefined ? undefined : parseRelativePath(directory);
  if (result === undefined || !result.ok || result.path === ".") return "";
  const candidate = `${result.path}/${entry}`;
  return files.hasFile(candidate)
    ? `: entry is relative to the output directory; write ${JSON.stringify(candidate)}`
    : "";
}

function checkEntry(layer: Fields, path: string, files: OutputFiles): ManifestProblem[] {
  const text = textWithin(layer.entry, MAX_ENTRY_LENGTH);
  if (text === undefined || layer.target === "STATIC") return [];
  const result = parseRelativePath(text);
  if (!result.ok) return [{ path, message: `Path ${JSON.stringify(text)} ${result.reason}` }];
  if (files.hasFile(result.path)) return [];
  const message = files.hasDirectory(result.path)
    ? `${JSON.stringify(text)} is a folder: expected a file`
    : `Cannot find the entry file ${JSON.stringify(text)} in the output directory` +
      entryHint(layer, result.path, files);
  return [{ path, message }];
}

/** Checks that an image's root file system is a folder in the deployment. */
function checkImage(layer: Fields, path: string, files: OutputFiles): ManifestProblem[] {
  const directory = fieldOf(fieldOf(fieldOf(layer, "runtime"), "image"), "directory");
  return directory === undefined ? [] : checkDirectory(directory, path, files);
}

/** Checks that a layer's fallback is a file in the layer. */
function checkFallback(layer: Fields, path: string, files: OutputFiles): ManifestProblem[] {
  const text = textWithin(layer.fallback, MAX_ENTRY_LENGTH);
  if (text === undefined || layer.target === "COMPUTE") return [];
  const result = parseRelativePath(text);
  if (!result.ok) return [{ path, message: `Path ${JSON.stringify(text)} ${result.reason}` }];
  if (!files.hasFile(result.path)) {
    return [{
      path,
      message: `Cannot find the page ${JSON.stringify(text)} in the output directory` +
        entryHint(layer, text, files).replace("entry", "fallback"),
    }];
  }
  const directory = parseRelativePath(textWithin(layer.directory, MAX_DIRECTORY_LENGTH) ?? "");
  const isInside = !directory.ok || directory.path === "." ||
    result.path.startsWith(`${directory.path}/`);
  return isInside
    ? []
    : [{ path, message: `Use a page in the layer's folder: found ${JSON.stringify(text)}` }];
}

/** Checks that names are unique, and that folders and entries are in the output. */
export function checkLayers(layers: readonly Fields[], files: OutputFiles): ManifestProblem[] {
  return [
    ...checkNames(layers),
    ...layers.flatMap((layer, index) => [
      ...checkDirectory(layer.directory, formatPath(["layers", index, "directory"]), files),
      ...checkFallback(layer, formatPath(["layers", index, "fallback"]), files),
      ...checkEntry(layer, formatPath(["layers", index, "entry"]), files),
      ...checkImage(
        layer,
        formatPath(["layers", index, "runtime", "image", "directory"]),
        files,
      ),
    ]),
  ];
}

/**
 * Reports an unknown layer. The report names the layer that the author probably meant, or all
 * existing layers.
 */
export function describeUnknownLayer(name: string, layers: readonly Fields[]): string {
  const names = layers.flatMap((layer) => textWithin(layer.name, MAX_NAME_LENGTH) ?? []);
  const suggestion = nearest(name, names);
  const unknown = `Cannot find the layer ${JSON.stringify(name)}`;
  if (suggestion !== undefined) return `${unknown}: did you mean ${JSON.stringify(suggestion)}?`;
  if (names.length === 0) return `${unknown}: no layer has a name`;
  return `${unknown}: expected one of ${names.map((text) => JSON.stringify(text)).join(", ")}`;
}
