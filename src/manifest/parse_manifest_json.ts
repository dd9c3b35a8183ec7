/** @module Parses the text of `.svc/manifest.json` into an unknown value. */
import { findJsonFault } from "./json_scan.ts";
import { MAX_MANIFEST_BYTES, MAX_MANIFEST_DEPTH } from "./limits.ts";
import type { ManifestProblem } from "./types.ts";

type ManifestJsonResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly ManifestProblem[] };

function fail(message: string): ManifestJsonResult {
  return { ok: false, problems: [{ path: "", message }] };
}

/**
 * Returns the length of text in UTF-8, or its length in UTF-16 if the text is short enough anyway.
 * A UTF-16 code unit takes at most three bytes.
 */
function utf8Length(text: string): number {
  return text.length * 3 <= MAX_MANIFEST_BYTES
    ? text.length
    : new TextEncoder().encode(text).byteLength;
}

/** Describes the first fault in JSON text with its position, such as `line 3, column 1: …`. */
export function describeJsonFault(json: string): string | undefined {
  const fault = findJsonFault(json, MAX_MANIFEST_DEPTH);
  if (fault === undefined) return undefined;
  const before = json.slice(0, fault.offset);
  const line = before.split("\n").length;
  const column = fault.offset - (before.lastIndexOf("\n") + 1) + 1;
  return `line ${line}, column ${column}: ${fault.message}`;
}

/**
 * Parses the manifest's text. Syntax errors, repeated keys and excessive nesting are returned with
 * a line and column, both starting at 1. Never throws for invalid input. Skips a byte order mark.
 */
export function parseManifestJson(text: string): ManifestJsonResult {
  if (text.length > MAX_MANIFEST_BYTES || utf8Length(text) > MAX_MANIFEST_BYTES) {
    return fail(`Use at most ${MAX_MANIFEST_BYTES} bytes for the manifest`);
  }
  const json = text.startsWith("\ufeff") ? text.slice(1) : text;
  if (json.trim() === "") return fail("Cannot read JSON: the file is empty");
  const fault = describeJsonFault(json);
  if (fault !== undefined) return fail(`Cannot read JSON at ${fault}`);
  return { ok: true, value: JSON.parse(json) };
}
