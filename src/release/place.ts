/** @module URLs of releases, in the layout of GitHub's, so that static servers can host them. */
import { tagOf } from "./manifest.ts";

/** Set by `scripts/compile.ts --releases-url`; code from source has no separate place. */
declare const SVC_RELEASES_URL: string | undefined;

/** The compiled-in URL. It needs no trust, because releases are signed. */
export const BUILT_IN_PLACE: string | undefined = typeof SVC_RELEASES_URL === "string"
  ? SVC_RELEASES_URL
  : undefined;

/** Names of the files that every release has in addition to its programs. */
export const MANIFEST_FILE = "release.json";
export const SIGNATURE_SUFFIX = ".sig";

/** The URL of a release's file; an `undefined` version is the latest release. */
export function fileUrl(place: string, version: string | undefined, file: string): string {
  const folder = version === undefined ? "latest/download" : `download/${tagOf(version)}`;
  return `${place.replace(/\/+$/, "")}/${folder}/${file}`;
}
