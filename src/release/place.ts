/**
 * URLs of releases. The layout is that of releases on GitHub, so that any static server can host
 * releases as well.
 *
 * @module
 */
import { tagOf } from "./manifest.ts";

/** Set by `scripts/compile.ts --releases-url`; code from source has no separate place. */
declare const SVC_RELEASES_URL: string | undefined;

/** The place that was compiled in. It needs no trust, as releases are signed. */
export const BUILT_IN_PLACE: string | undefined = typeof SVC_RELEASES_URL === "string"
  ? SVC_RELEASES_URL
  : undefined;

/** Names of the files that every release has beside its programs. */
export const MANIFEST_FILE = "release.json";
export const SIGNATURE_SUFFIX = ".sig";

/** The address of a release's file; `undefined` as version stands for the latest release. */
export function fileUrl(place: string, version: string | undefined, file: string): string {
  const folder = version === undefined ? "latest/download" : `download/${tagOf(version)}`;
  return `${place.replace(/\/+$/, "")}/${folder}/${file}`;
}
