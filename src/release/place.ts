/**
 * @module URLs of a release's files. Their layout is the same as on GitHub, so any static server
 * can host releases.
 */
import { tagOf } from "./manifest.ts";

/**
 * Set by `scripts/compile.ts --releases-url`. It is not defined when the program runs from source.
 */
declare const SVC_RELEASES_URL: string | undefined;

/** The URL that was compiled in. The URL need not be trusted, because releases are signed. */
export const BUILT_IN_PLACE: string | undefined = typeof SVC_RELEASES_URL === "string"
  ? SVC_RELEASES_URL
  : undefined;

/** Names of the files in every release, in addition to the programs. */
export const MANIFEST_FILE = "release.json";
export const SIGNATURE_SUFFIX = ".sig";

/**
 * Returns the URL of a release's file. If the version is `undefined`, returns the URL of the latest
 * release's file.
 */
export function fileUrl(place: string, version: string | undefined, file: string): string {
  const folder = version === undefined ? "latest/download" : `download/${tagOf(version)}`;
  return `${place.replace(/\/+$/, "")}/${folder}/${file}`;
}
