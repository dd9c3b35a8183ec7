/**
 * Files of blobs in a folder that holds only some of them.
 *
 * @module
 */
import type { BlobReader } from "../../edge/mod.ts";
import { BlobDamagedError } from "../../platform/core/store/blob_store.ts";

/** How often a file that vanishes before it is read is fetched. */
const MAX_FETCHES = 3;

/**
 * Reads files; `fetch` brings one that is missing or damaged into the folder.
 *
 * @param files must also know how to open files and to put damaged ones aside.
 */
export function fetchingReader(
  files: Required<BlobReader>,
  fetch: (sha256: string) => Promise<void>,
): BlobReader {
  const withFile = async <T>(sha256: string, work: () => Promise<T>): Promise<T> => {
    for (let fetches = 0;; fetches++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof BlobDamagedError) || fetches === MAX_FETCHES) throw error;
      }
      await fetch(sha256);
    }
  };
  return {
    read: (sha256) => withFile(sha256, () => files.read(sha256)),
    stream: (sha256, range) => withFile(sha256, () => files.stream(sha256, range)),
    openFile: (sha256) => withFile(sha256, () => files.openFile(sha256)),
    reportDamage: (sha256) => files.reportDamage(sha256),
  };
}
