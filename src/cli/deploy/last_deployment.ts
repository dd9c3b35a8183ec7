/**
 * @module The files that were last deployed from a checkout. The next deploy sends only the
 * differences.
 */
import * as z from "zod";
import { readCheckoutCache, writeCheckoutCache } from "../../config/checkout_cache.ts";
import type { BodyInputOf } from "../../contract/endpoint.ts";
import { type DeploymentFile, MAX_FILES } from "../../contract/deployment_files.ts";
import { differenceOf, digestFiles } from "../../contract/file_difference.ts";
import { createDeployment } from "../../contract/deployments.ts";

const NAME = "deployed.json";

/**
 * Minimum number of files in a list of which only the differences are sent. Shorter lists are sent
 * in full.
 */
const MIN_FILES = 200;

/**
 * The schema checks only the structure, because the platform verifies the resulting list of files.
 */
const saved = z.strictObject({
  version: z.literal(1),
  apiUrl: z.string(),
  projectId: z.string(),
  deploymentId: z.uuid(),
  paths: z.array(z.string()).max(MAX_FILES),
  /** One hash for each file, in the order of `paths`. */
  hashes: z.array(z.string()),
  sizes: z.array(z.number()),
}).refine(({ paths, hashes, sizes }) =>
  hashes.length === paths.length && sizes.length === paths.length
);

/** The platform and project of a deployment. */
export interface DeploymentPlace {
  readonly apiUrl: string;
  readonly projectId: string;
}

/** A deployment with the list of its files. */
interface LastDeployment {
  readonly id: string;
  readonly files: readonly DeploymentFile[];
}

/**
 * Reads the last deployment of the checkout at `root`, if it belongs to the same platform and
 * project.
 */
export async function readLastDeployment(
  root: string,
  place: DeploymentPlace,
): Promise<LastDeployment | undefined> {
  const found = await readCheckoutCache(root, NAME, saved);
  if (found?.apiUrl !== place.apiUrl || found.projectId !== place.projectId) return undefined;
  return {
    id: found.deploymentId,
    files: found.paths.map((path, index) => ({
      path,
      sha256: found.hashes[index]!,
      size: found.sizes[index]!,
    })),
  };
}

/** Stores the last deployment of the checkout at `root`, unless it has only a few files. */
export async function writeLastDeployment(
  root: string,
  { apiUrl, projectId }: DeploymentPlace,
  { id, files }: LastDeployment,
): Promise<void> {
  if (files.length < MIN_FILES) return;
  await writeCheckoutCache(root, NAME, {
    version: 1,
    apiUrl,
    projectId,
    deploymentId: id,
    paths: files.map(({ path }) => path),
    hashes: files.map(({ sha256 }) => sha256),
    sizes: files.map(({ size }) => size),
  });
}

type Body = BodyInputOf<typeof createDeployment>;

/**
 * Returns the same request with only the differences from `last`, or `undefined` if that is not
 * much shorter.
 */
export function toDifference(whole: Body, last: LastDeployment | undefined): Body | undefined {
  if (last === undefined) return undefined;
  const { files, removed } = differenceOf(last.files, whole.files);
  if (files.length + removed.length > whole.files.length / 2) return undefined;
  return {
    ...whole,
    files: [...files],
    removed: [...removed],
    base: { deployment: last.id, digest: digestFiles(whole.files) },
  };
}
