/** Finds a deployment's blobs that have yet to be uploaded. @module */
import { inSteps, inTurns } from "../../lib/next_turn.ts";
import type { BlobStore, LookOptions } from "../core/store/mod.ts";

export interface WantedBlob {
  readonly sha256: string;
  /** Size in bytes, as the list states it. */
  readonly size: number;
}

export interface BlobLookUp {
  /** Hashes of missing or damaged blobs, each only once, in order. */
  readonly missing: readonly string[];
  /** Stored blobs whose size differs from the stated one, each with its actual size. */
  readonly misstated: readonly (WantedBlob & { readonly actual: number })[];
}

/**
 * Looks up blobs and verifies them by hash. A damaged blob counts as missing and is uploaded again.
 */
export async function lookUpBlobs(
  blobs: BlobStore,
  wanted: readonly WantedBlob[],
  options: LookOptions = {},
): Promise<BlobLookUp> {
  const bySha256 = new Map<string, WantedBlob>();
  await inTurns(inSteps(wanted, (blob) => {
    if (!bySha256.has(blob.sha256)) bySha256.set(blob.sha256, blob);
  }));
  const found = await blobs.verifyAll([...bySha256.keys()], options);
  const missing: string[] = [];
  const misstated: (WantedBlob & { readonly actual: number })[] = [];
  await inTurns(inSteps(bySha256.values(), (blob) => {
    const actual = found.get(blob.sha256);
    if (actual === undefined) missing.push(blob.sha256);
    else if (actual !== blob.size) misstated.push({ ...blob, actual });
  }));
  return { missing, misstated };
}
