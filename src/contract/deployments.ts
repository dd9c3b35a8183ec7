/**
 * Deployments and the blobs that they are made of.
 *
 * A deployment is created with the list of its files. The answer names the
 * blobs that the workspace lacks; they are uploaded; then the deployment is
 * activated, which makes it visible in one atomic step.
 *
 * @module
 */
import { z } from "zod";
import { page, pageQuery, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { environmentReference } from "./environments.ts";
import { branchName, projectParams } from "./projects.ts";

export const DEPLOYMENT_STATES = [
  "PENDING",
  "BUILDING",
  "DEPLOYING",
  "LIVE",
  "FAILED",
  "STOPPED",
  "ROLLED_BACK",
] as const;
export type DeploymentState = (typeof DEPLOYMENT_STATES)[number];

export const ENVIRONMENT_PRODUCTION = "production";
export const ENVIRONMENT_PREVIEW = "preview";

/** Most files of one deployment. */
export const MAX_FILES = 100_000;
/** Largest single file, in bytes (1 GiB). */
export const MAX_FILE_BYTES = 1024 * 1024 * 1024;
/** All files of one deployment together, in bytes (100 GiB). */
export const MAX_DEPLOYED_BYTES = 100 * 1024 ** 3;
/** Largest body of a batch of blobs, in bytes; larger blobs travel alone. */
export const MAX_BATCH_BYTES = 8 * 1024 * 1024;
/** Most blobs of one batch. */
export const MAX_BATCH_BLOBS = 500;
/** What multipart adds to the content of a batch, at most: boundary and fields of each part. */
const MAX_BATCH_OVERHEAD_BYTES = MAX_BATCH_BLOBS * 512;
/** Largest description of a deployment, in bytes: the list of 100,000 files. */
const MAX_DEPLOYMENT_BYTES = 32 * 1024 * 1024;

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "Must be a SHA-256 in hexadecimal");

/** Longest name of a file or folder, in bytes of UTF-8: what file systems take. */
const MAX_NAME_BYTES = 255;

const nameFits = (name: string) =>
  name.length <= MAX_NAME_BYTES && new TextEncoder().encode(name).byteLength <= MAX_NAME_BYTES;

/** A path below the output directory: relative, with `/`, without `.` or `..` segments. */
export const filePath = z.string().min(1).max(1024).refine(
  (path) =>
    // deno-lint-ignore no-control-regex -- control characters cannot stand in a path
    !/[\\\x00-\x1f\x7f]/.test(path) &&
    path.split("/").every((part) => part !== "" && part !== "." && part !== ".."),
  "Must be a relative path without empty, . or .. segments",
).refine((path) => path.isWellFormed(), "Must be well-formed Unicode").refine(
  (path) => path.split("/").every(nameFits),
  `Must have names of at most ${MAX_NAME_BYTES} bytes between the slashes`,
);

export const deploymentFile = z.object({
  path: filePath,
  sha256,
  size: z.int().min(0).max(MAX_FILE_BYTES),
}).meta({ id: "DeploymentFile" });
export type DeploymentFile = z.infer<typeof deploymentFile>;

/** Most functions of one deployment. */
export const MAX_FUNCTIONS = 100;
/** Largest function with all that it imports, in bytes. */
export const MAX_FUNCTION_BYTES = 4 * 1024 * 1024;

/** A function as `svc deploy` bundles it: one self-contained module, a blob like a file. */
export const deploymentFunction = z.object({
  name: z.string().max(64).regex(
    /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/,
    "Must be lower-case letters, digits and inner hyphens",
  ),
  sha256,
  size: z.int().min(0).max(MAX_FUNCTION_BYTES),
}).meta({ id: "DeploymentFunction" });
export type DeploymentFunction = z.infer<typeof deploymentFunction>;

export const deploymentUrls = z.object({
  unique: z.url().describe("Address of this deployment alone; never changes what it shows"),
  branch: z.url().describe("Address of the branch's latest deployment"),
  production: z.url().describe("Address of the project's production deployment"),
});

export const deployment = z.object({
  id: uuid,
  projectId: uuid,
  project: z.string(),
  status: z.enum(DEPLOYMENT_STATES),
  environment: z.string(),
  isPreview: z.boolean(),
  isProduction: z.boolean().describe(
    "True while the project's production address shows this deployment",
  ),
  variablesChanged: z.boolean().describe(
    "True where the environment's variables changed since: a new deploy would take them",
  ),
  branch: z.string(),
  commitSha: z.string().nullable(),
  message: z.string().nullable(),
  author: z.string().nullable(),
  url: z.url(),
  urls: deploymentUrls,
  functions: z.array(z.string()).describe("Names of its functions"),
  fileCount: z.int(),
  totalBytes: z.int(),
  error: z.string().nullable().describe("Why the deployment failed; null otherwise"),
  createdAt: timestamp,
  updatedAt: timestamp,
  liveAt: timestamp.nullable().describe("When it went live; null before"),
}).meta({ id: "Deployment" });
export type Deployment = z.infer<typeof deployment>;

export const createDeploymentBody = z.object({
  environment: environmentReference.describe(
    "Name or id of the environment: `production`, `preview`, or the project's own",
  ),
  branch: branchName.optional().describe(
    "The branch that is deployed; the project's production branch where missing",
  ),
  commitSha: z.string().regex(/^[0-9a-f]{7,40}$/, "Must be 7 to 40 hexadecimal digits").optional(),
  message: z.string().max(500).optional(),
  author: z.string().max(200).optional(),
  manifest: z.unknown().describe(
    "The content of `.svc/manifest.json`; validated by the manifest's own rules",
  ),
  rules: z.unknown().optional().describe(
    "The edge rule set as authored; validated by its own rules",
  ),
  files: z.array(deploymentFile).max(MAX_FILES),
  functions: z.array(deploymentFunction).max(MAX_FUNCTIONS).default([]).describe(
    "Functions for pipelines",
  ),
}).strict();

export const createDeploymentAnswer = z.object({
  deployment,
  missing: z.array(sha256).describe("SHA-256 of each blob that must be uploaded before activation"),
});

const deploymentParams = z.object({ deployment: uuid });

export const createDeployment = endpoint({
  method: "POST",
  path: "/v1/projects/{project}/deployments",
  summary: "Start a deployment and learn which blobs are missing",
  tag: "Deployments",
  params: projectParams,
  body: createDeploymentBody,
  maxBodyBytes: MAX_DEPLOYMENT_BYTES,
  response: createDeploymentAnswer,
  status: 201,
});

export const checkDeploymentAnswer = z.object({
  environment: z.string().describe("Name of the environment that it would go to"),
  branch: z.string().describe("Branch that it would count as"),
  missing: z.array(sha256).describe("SHA-256 of each blob that would have to be uploaded"),
});

export const checkDeployment = endpoint({
  method: "POST",
  path: "/v1/projects/{project}/deployment-checks",
  summary: "Check what a deployment would be made of, and make none",
  tag: "Deployments",
  params: projectParams,
  body: createDeploymentBody,
  maxBodyBytes: MAX_DEPLOYMENT_BYTES,
  response: checkDeploymentAnswer,
});

export const listDeployments = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/deployments",
  summary: "List a project's deployments, newest first",
  tag: "Deployments",
  params: projectParams,
  query: pageQuery,
  response: page(deployment),
});

export const getDeployment = endpoint({
  method: "GET",
  path: "/v1/deployments/{deployment}",
  summary: "Show a deployment",
  tag: "Deployments",
  params: deploymentParams,
  response: deployment,
});

export const activateDeployment = endpoint({
  method: "POST",
  path: "/v1/deployments/{deployment}/activate",
  summary: "Make a deployment visible, in one atomic step",
  tag: "Deployments",
  params: deploymentParams,
  response: deployment,
});

export const stopDeploymentBody = z.object({
  unlessLive: z.boolean().optional().describe(
    "True to leave alone what is live: the answer is then 409",
  ),
}).strict();

export const stopDeployment = endpoint({
  method: "POST",
  path: "/v1/deployments/{deployment}/stop",
  summary: "Stop a deployment that production does not show",
  tag: "Deployments",
  params: deploymentParams,
  body: stopDeploymentBody,
  response: deployment,
});

export const promoteDeployment = endpoint({
  method: "POST",
  path: "/v1/deployments/{deployment}/promote",
  summary: "Make production show what a deployment shows, with production's variables",
  tag: "Deployments",
  params: deploymentParams,
  response: deployment,
});

export const rollbackBody = z.object({
  deploymentId: uuid.optional().describe(
    "The deployment to undo; the one live in production where missing",
  ),
  to: uuid.optional().describe(
    "The deployment that shall be live; the one that was live before where missing",
  ),
}).strict();

export const rollbackAnswer = z.object({
  deployment: deployment.describe("The deployment that is live now"),
  rolledBack: deployment,
});

export const rollback = endpoint({
  method: "POST",
  path: "/v1/projects/{project}/rollback",
  summary: "Make the previous production deployment live again",
  tag: "Deployments",
  params: projectParams,
  body: rollbackBody,
  response: rollbackAnswer,
});

export const blobReceipt = z.object({ stored: z.array(sha256) });

export const blobQuery = z.object({
  deployment: uuid.optional().describe(
    "The deployment that the blobs are for: what arrives keeps its upload open",
  ),
});

export const putBlob = endpoint({
  method: "PUT",
  path: "/v1/blobs/{sha256}",
  summary: "Upload one blob; refused when its content has another hash",
  tag: "Blobs",
  params: z.object({ sha256 }),
  query: blobQuery,
  body: z.unknown(),
  bodyKind: "octets",
  maxBodyBytes: MAX_FILE_BYTES,
  response: blobReceipt,
});

export const postBlobs = endpoint({
  method: "POST",
  path: "/v1/blobs",
  summary: "Upload many small blobs as multipart/form-data, each part named by its SHA-256",
  tag: "Blobs",
  query: blobQuery,
  body: z.unknown(),
  bodyKind: "multipart",
  maxBodyBytes: MAX_BATCH_BYTES + MAX_BATCH_OVERHEAD_BYTES,
  response: blobReceipt,
});
