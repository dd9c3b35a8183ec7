/**
 * The first half of a deployment: record it and tell which blobs are missing.
 *
 * @module
 */
import type { BodyOf, endpoints } from "../../contract/mod.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import { shortId, uuidV7 } from "../../lib/ids.ts";
import type { RuntimeRuleSet } from "../../rules/mod.ts";
import type { VariableService } from "../env/variable_service.ts";
import type { EnvironmentStore } from "../environments/environment_store.ts";
import { findEnvironmentName } from "../environments/find_environment.ts";
import { Failure } from "../http/failure.ts";
import type { ProjectRecord } from "../projects/project.ts";
import type { BlobStore } from "../store/blob_store.ts";
import { branchLabel } from "./addresses.ts";
import { checkFiles, checkFunctions, checkManifest, checkRules } from "./check_content.ts";
import { blobsOf, writeContent } from "./content.ts";
import type { DeploymentRecord } from "./deployment.ts";
import type { DeploymentStore } from "./deployment_store.ts";

/** Files that are looked up in the blob store at the same time. */
const PARALLEL_LOOKUPS = 16;

/** Tries to find a free unique label; one in 10^11 is taken. */
const LABEL_ATTEMPTS = 5;

export interface CreateServices {
  readonly deployments: DeploymentStore;
  readonly environments: EnvironmentStore;
  readonly variables: VariableService;
  readonly blobs: BlobStore;
  readonly now: Clock;
  readonly random: Random;
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

async function freeBranchLabel(
  deployments: DeploymentStore,
  project: ProjectRecord,
  branch: string,
): Promise<string> {
  const label = branchLabel(project.name, branch);
  const host = await deployments.findHost(label);
  const taken = host !== undefined && host.projectId !== project.id;
  return taken ? branchLabel(project.name, branch, { taken }) : label;
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
  const { deployments, environments, variables, blobs, now, random } = services;
  checkFiles(body.files);
  const manifest = checkManifest(body.manifest, body.files);
  const functionNames = checkFunctions(body.functions);
  const rules: RuntimeRuleSet | null = body.rules === undefined
    ? null
    : { ...checkRules(body.rules, functionNames), source: { origin: "build" } };
  const files = [...body.files].sort((a, b) => a.path < b.path ? -1 : 1);
  const contentSha = await writeContent(blobs, {
    manifest,
    files,
    functions: body.functions,
    rules,
  });
  const branch = body.branch ?? project.branch;
  const environment = await findEnvironmentName(environments, project, body.environment);
  const id = uuidV7(now, random);
  const variablesVersion = await variables.takeSnapshot({
    id,
    projectId: project.id,
    environment,
  });
  const base: Omit<DeploymentRecord, "uniqueLabel"> = {
    id,
    projectId: project.id,
    workspaceId: project.workspaceId,
    projectName: project.name,
    status: "PENDING",
    environment,
    branch,
    commitSha: body.commitSha ?? null,
    message: body.message ?? null,
    author: body.author ?? null,
    branchLabel: await freeBranchLabel(deployments, project, branch),
    contentSha,
    functions: [],
    variablesVersion,
    fileCount: files.length,
    totalBytes: files.reduce((sum, file) => sum + file.size, 0),
    error: null,
    createdAt: now(),
    updatedAt: now(),
    liveAt: null,
  };
  for (let attempt = 0; attempt < LABEL_ATTEMPTS; attempt++) {
    const deployment = { ...base, uniqueLabel: `${project.name}-${shortId(random)}` };
    if (await deployments.create(deployment)) {
      return {
        deployment,
        missing: await missingBlobs(blobs, blobsOf({ files, functions: body.functions })),
      };
    }
  }
  throw new Failure("conflict", "Can not find a free address for the deployment. Try again");
}
