/**
 * The first half of a deployment: record it and tell which blobs are missing.
 *
 * @module
 */
import type { BodyOf, endpoints } from "../../contract/mod.ts";
import type { RuntimeRuleSet } from "../../rules/mod.ts";
import type { EnvironmentStore } from "../environments/environment_store.ts";
import type { RaiseEvent } from "../events/raise_event.ts";
import { findEnvironmentName } from "../environments/find_environment.ts";
import type { ProjectRecord } from "../projects/project.ts";
import type { BlobStore } from "../store/blob_store.ts";
import type { Addresses } from "./addresses.ts";
import { checkFiles, checkFunctions, checkManifest, checkRules } from "./check_content.ts";
import { blobsOf, writeContent } from "./content.ts";
import type { DeploymentRecord } from "./deployment.ts";
import { deploymentEvent } from "./deployment_event.ts";
import { recordDeployment, type RecordServices } from "./record_deployment.ts";

/** Files that are looked up in the blob store at the same time. */
const PARALLEL_LOOKUPS = 16;

export interface CreateServices extends RecordServices {
  readonly environments: EnvironmentStore;
  readonly blobs: BlobStore;
  readonly addresses: Addresses;
  readonly raiseEvent: RaiseEvent;
}

/** The hashes among `wanted` that the store lacks, each once, in order. */
export async function missingBlobs(blobs: BlobStore, wanted: Iterable<string>): Promise<string[]> {
  const hashes = [...new Set(wanted)];
  const present = new Array<boolean>(hashes.length);
  let next = 0;
  await Promise.all(Array.from({ length: PARALLEL_LOOKUPS }, async () => {
    for (let index = next++; index < hashes.length; index = next++) {
      present[index] = await blobs.size(hashes[index]!) !== undefined;
    }
  }));
  return hashes.filter((_, index) => !present[index]);
}

/** Whoever made the content of a deployment: it is as yet unchecked. */
export type ReceivedContent = Pick<
  BodyOf<typeof endpoints.createDeployment>,
  "manifest" | "files" | "functions" | "rules"
>;

/** What a record says of its content. */
export type StoredContent = Pick<DeploymentRecord, "contentSha" | "fileCount" | "totalBytes">;

/** Validates the content of a deployment and stores its description. */
export async function storeContent(
  blobs: BlobStore,
  received: ReceivedContent,
): Promise<StoredContent & { readonly contentSha: string }> {
  checkFiles(received.files);
  const manifest = checkManifest(received.manifest, received.files);
  const functionNames = checkFunctions(received.functions);
  const rules: RuntimeRuleSet | null = received.rules === undefined
    ? null
    : { ...checkRules(received.rules, functionNames), source: { origin: "build" } };
  const files = [...received.files].sort((a, b) => a.path < b.path ? -1 : 1);
  const { functions } = received;
  return {
    contentSha: await writeContent(blobs, { manifest, files, functions, rules }),
    fileCount: files.length,
    totalBytes: files.reduce((sum, file) => sum + file.size, 0),
  };
}

/**
 * Validates and records a deployment in state PENDING. Nothing of it is
 * visible until it is activated.
 */
export async function createDeployment(
  services: CreateServices,
  project: ProjectRecord,
  body: BodyOf<typeof endpoints.createDeployment>,
): Promise<{ readonly deployment: DeploymentRecord; readonly missing: string[] }> {
  const { environments, blobs } = services;
  const stored = await storeContent(blobs, body);
  const deployment = await recordDeployment(services, project, {
    wanted: {
      ...stored,
      environment: await findEnvironmentName(environments, project, body.environment),
      branch: body.branch ?? project.branch,
      commitSha: body.commitSha ?? null,
      message: body.message ?? null,
      author: body.author ?? null,
      source: "upload",
    },
  });
  await services.raiseEvent(deploymentEvent("started", deployment, services.addresses));
  return { deployment, missing: await missingBlobs(blobs, blobsOf(body)) };
}
