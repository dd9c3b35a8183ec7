/** Before activation, checks that every blob is stored, and seals every function. @module */
import { Failure } from "../core/http/mod.ts";
import type { BlobStore } from "../core/store/mod.ts";
import { blobsOf, type DeploymentContent, readContent } from "./content.ts";
import type { DeploymentRecord } from "./deployment.ts";
import { type BlobLookUp, lookUpBlobs } from "./missing_blobs.ts";
import type { DeployedFunctions } from "./running_code.ts";

const MAX_LISTED = 20;

function misstatedSizes(blobs: BlobLookUp["misstated"]): Failure {
  return new Failure(
    "blob_mismatch",
    `Cannot activate: the file list has the wrong size for ${blobs.length} blobs`,
    {
      problems: blobs.slice(0, MAX_LISTED).map(({ sha256, size, actual }) => ({
        path: sha256,
        message: `Has ${actual} bytes, but the list says ${size}`,
      })),
    },
  );
}

/**
 * @throws {Failure} `conflict` for an unbuilt deployment, `blobs_missing`, `blob_mismatch` for
 * incorrect sizes.
 */
export async function requireContent(
  blobs: BlobStore,
  { contentSha }: Pick<DeploymentRecord, "contentSha">,
): Promise<DeploymentContent> {
  if (contentSha === null) {
    throw new Failure("conflict", "Cannot activate: the deployment is not built yet");
  }
  const content = await readContent(blobs, contentSha);
  const { missing, misstated } = await lookUpBlobs(blobs, blobsOf(content), { lately: true });
  if (misstated.length > 0) throw misstatedSizes(misstated);
  if (missing.length === 0) return content;
  throw new Failure(
    "blobs_missing",
    `Cannot activate: ${missing.length} of the deployment's blobs are not uploaded`,
    {
      problems: missing.slice(0, MAX_LISTED).map((sha256) => ({
        path: sha256,
        message: "Missing",
      })),
    },
  );
}

/**
 * Seals each function, and stores the result as a blob. Returns each function's name and the hash
 * of its blob.
 */
export async function sealFunctions(
  functionService: Pick<DeployedFunctions, "seal">,
  blobs: BlobStore,
  functions: DeploymentContent["functions"],
): Promise<DeploymentRecord["functions"]> {
  return await Promise.all(functions.map(async ({ name, sha256 }) => {
    const sealed = await functionService.seal(name, await blobs.read(sha256));
    await blobs.put(sealed.sha256, sealed.source);
    return { name, sha256: sealed.sha256 };
  }));
}
