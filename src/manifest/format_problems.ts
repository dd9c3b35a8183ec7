/** @module Formats a manifest's problems as text with one line for each problem. */
import type { ManifestProblem } from "./types.ts";

const MANIFEST_REFERENCE = "docs/manifest.md";

/**
 * Returns a header line, one `<field path>: <message>` line for each problem, and a pointer to the
 * manifest reference. The line for a problem with the whole document has no field path.
 */
export function formatManifestProblems(problems: readonly ManifestProblem[]): string {
  return [
    "Manifest validation failed:",
    ...problems.map(({ path, message }) => path === "" ? message : `${path}: ${message}`),
    `See ${MANIFEST_REFERENCE} for the manifest reference`,
  ].join("\n");
}
