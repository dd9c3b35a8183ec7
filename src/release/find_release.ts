import { fetchSmall, type Source } from "./fetch_bytes.ts";
import { parseManifest, type Release } from "./manifest.ts";
import { fileUrl, MANIFEST_FILE, SIGNATURE_SUFFIX } from "./place.ts";
import { ReleaseError } from "./release_error.ts";
import { isSigned, SIGNATURE_BYTES } from "./signature.ts";

/** Maximum size of a manifest, in bytes. */
const MAX_MANIFEST_BYTES = 1024 * 1024;

export interface ReleasePlace extends Source {
  /** Base URL of the releases. */
  readonly place: string;
  /** Public keys. One of them must have signed the release. */
  readonly keys: readonly string[];
}

/**
 * Reads the manifest of a version or of the latest release, and verifies its signature before
 * anything else.
 *
 * @throws {ReleaseError} if the manifest is unavailable, or is not signed by a trusted key.
 */
export async function findRelease(from: ReleasePlace, version?: string): Promise<Release> {
  const url = fileUrl(from.place, version, MANIFEST_FILE);
  const bytes = await fetchSmall(url, { ...from, maxBytes: MAX_MANIFEST_BYTES });
  const signature = await fetchSmall(url + SIGNATURE_SUFFIX, {
    ...from,
    maxBytes: SIGNATURE_BYTES,
  });
  if (!await isSigned(bytes, signature, from.keys)) {
    throw new ReleaseError(
      `Cannot trust ${url}: it is not signed with a key that this program ` +
        `knows`,
      {
        hint: "Nothing was installed. The file was changed in transit, or the URL is not svc's own",
      },
    );
  }
  const release = parseManifest(bytes);
  if (version !== undefined && release.version !== version) {
    throw new ReleaseError(
      `Cannot use ${url}: it is the manifest of ${release.version}, not of ${version}`,
    );
  }
  return release;
}
