/**
 * The first half of deploying: records a deployment and reports which blobs are missing.
 *
 * @module
 */
import type { BodyOf, ResponseOf } from "../../contract/endpoint.ts";
import type { endpoints } from "../../contract/endpoints.ts";
import { inTurns } from "../../lib/next_turn.ts";
import { sortInSteps } from "../../lib/sort_in_steps.ts";
import type { RuntimeRuleSet } from "../../rules/mod.ts";
import { type EnvironmentStore, findEnvironmentName } from "../environments/mod.ts";
import type { RaiseEvent } from "../core/events/mod.ts";
import { Failure } from "../core/http/mod.ts";
import type { ProjectRecord } from "../projects/mod.ts";
import type { BlobStore } from "../core/store/mod.ts";
import type { Addresses } from "../core/addresses.ts";
import {
  checkFiles,
  checkFunctions,
  checkManifest,
  checkRules,
  type PlaceOf,
} from "./check_content.ts";
import { blobsOf, type DeploymentContent, writeContent } from "./content.ts";
import { type BlobLookUp, lookUpBlobs } from "./missing_blobs.ts";
import type { DeploymentRecord } from "./deployment.ts";
import { receiveFiles } from "./receive_files.ts";
import { deploymentEvent } from "./deployment_event.ts";
import { recordDeployment, type RecordServices } from "./record_deployment.ts";

const MAX_LISTED = 20;

export interface CreateServices extends RecordServices {
  readonly environments: EnvironmentStore;
  readonly blobs: BlobStore;
  readonly addresses: Addresses;
  readonly raiseEvent: RaiseEvent;
}

/** A deployment's content as received from a client or a build, and not validated yet. */
type ReceivedContent =
  & Pick<
    BodyOf<typeof endpoints.createDeployment>,
    "manifest" | "files" | "functions" | "rules"
  >
  & { readonly placeOf?: PlaceOf };

/** The fields of a record that describe its content. */
export type StoredContent = Pick<
  DeploymentRecord,
  "contentSha" | "cron" | "protection" | "database" | "fileCount" | "totalBytes"
>;

/**
 * Validates a deployment's content. Checks one part after another, and throws a `Failure` with all
 * problems in the first invalid part.
 */
async function checkContent(
  received: ReceivedContent,
): Promise<Pick<DeploymentContent, "manifest" | "rules">> {
  await inTurns(checkFiles(received.files, received.placeOf));
  const manifest = await inTurns(checkManifest(received.manifest, received.files));
  const functionNames = checkFunctions(received.functions);
  const rules: RuntimeRuleSet | null = received.rules === undefined
    ? null
    : { ...await inTurns(checkRules(received.rules, functionNames)), source: { origin: "build" } };
  return { manifest, rules };
}

export async function storeContent(
  blobs: BlobStore,
  received: ReceivedContent,
): Promise<StoredContent & { readonly contentSha: string }> {
  const { manifest, rules } = await checkContent(received);
  const files = await inTurns(sortInSteps(received.files, (a, b) => a.path < b.path));
  const { functions } = received;
  return {
    contentSha: await writeContent(blobs, { manifest, files, functions, rules }),
    cron: manifest.cron ?? [],
    ...(manifest.protection === undefined ? {} : { protection: manifest.protection }),
    ...(manifest.database === undefined ? {} : { database: manifest.database }),
    fileCount: files.length,
    totalBytes: files.reduce((sum, file) => sum + file.size, 0),
  };
}

function misstatedSizes(
  { files, functions, placeOf = (index) => `body.files[${index}]` }: ReceivedContent,
  misstated: BlobLookUp["misstated"],
): Failure {
  const problems = misstated.slice(0, MAX_LISTED).map(({ sha256, size, actual }) => {
    const file = files.findIndex((each) => each.sha256 === sha256);
    const path = file === -1
      ? `body.functions[${functions.findIndex((each) => each.sha256 === sha256)}].size`
      : `${placeOf(file)}.size`;
    return {
      path,
      message: `Must be ${actual}, the size of the content ${sha256}, but is ${size}`,
    };
  });
  const { path, message } = problems[0]!;
  return new Failure("invalid_request", `Request is not valid: ${path}: ${message}`, { problems });
}

/** Returns the hashes of missing blobs. Throws if a listed size differs from the content's size. */
async function findMissing(
  blobs: BlobStore,
  received: ReceivedContent,
): Promise<readonly string[]> {
  const { missing, misstated } = await lookUpBlobs(blobs, blobsOf(received));
  if (misstated.length > 0) throw misstatedSizes(received, misstated);
  return missing;
}

async function receiveContent(
  services: Pick<CreateServices, "deployments" | "blobs">,
  project: ProjectRecord,
  body: BodyOf<typeof endpoints.createDeployment>,
): Promise<ReceivedContent> {
  return { ...body, ...await receiveFiles(services, project, body) };
}

/** Runs all checks of {@link createDeployment}, without storing anything. */
export async function checkDeployment(
  { environments, deployments, blobs }: Pick<
    CreateServices,
    "environments" | "deployments" | "blobs"
  >,
  project: ProjectRecord,
  body: BodyOf<typeof endpoints.createDeployment>,
): Promise<ResponseOf<typeof endpoints.checkDeployment>> {
  const received = await receiveContent({ deployments, blobs }, project, body);
  await checkContent(received);
  return {
    environment: await findEnvironmentName(environments, project, body.environment),
    branch: body.branch ?? project.branch,
    missing: [...await findMissing(blobs, received)],
  };
}

/** Validates and records a deployment in state PENDING. It is invisible until it is activated. */
export async function createDeployment(
  services: CreateServices,
  project: ProjectRecord,
  body: BodyOf<typeof endpoints.createDeployment> & { readonly startedBy: string },
): Promise<{ readonly deployment: DeploymentRecord; readonly missing: readonly string[] }> {
  const { environments, blobs } = services;
  const received = await receiveContent(services, project, body);
  const stored = await storeContent(blobs, received);
  const missing = await findMissing(blobs, received);
  const deployment = await recordDeployment(services, project, {
    wanted: {
      ...stored,
      environment: await findEnvironmentName(environments, project, body.environment),
      branch: body.branch ?? project.branch,
      commitSha: body.commitSha ?? null,
      message: body.message ?? null,
      author: body.author ?? null,
      source: "upload",
      startedBy: body.startedBy,
    },
  });
  await services.raiseEvent(deploymentEvent("started", deployment, services.addresses));
  return { deployment, missing };
}
