/**
 * Deployments.
 *
 * A deployment is created with the list of its files, or with the differences from another
 * deployment's list. The response lists the blobs that the workspace lacks. Once these blobs are
 * uploaded, activating the deployment makes it visible in one atomic step.
 *
 * @module
 */
import * as z from "zod";
import { page, pageQuery, timestamp, uuid } from "./common.ts";
import { deploymentFile, filePath, MAX_FILES, sha256 } from "./deployment_files.ts";
import { endpoint } from "./endpoint.ts";
import { environmentReference } from "./environments.ts";
import { commandResult, commandResults, releaseChecks } from "./release_checks.ts";
import { rollingPlan } from "./releases.ts";
import { branchName, projectParams } from "./projects.ts";
import { MIGRATION_OUTCOMES, schemaDifference } from "./schema_difference.ts";
import { variableReference } from "./variables.ts";

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

const UNDER_WAY: ReadonlySet<DeploymentState> = new Set(["PENDING", "BUILDING", "DEPLOYING"]);

/** Returns whether a deployment is still being created, so it is neither live nor ended. */
export const isDeploymentUnderWay = (status: DeploymentState): boolean => UNDER_WAY.has(status);

/** Maximum number of functions per deployment. */
export const MAX_FUNCTIONS = 100;
/** Maximum size of a function with everything that it imports, in bytes. */
export const MAX_FUNCTION_BYTES = 4 * 1024 * 1024;

/**
 * A function as bundled by `svc deploy`: one self-contained module, which is uploaded as a blob,
 * like a file.
 */
export const deploymentFunction = z.object({
  name: z.string().max(64).regex(
    /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/,
    "Must be lowercase letters, digits and hyphens, with no hyphen at either end",
  ).meta({ description: "Name of the function", example: "hello" }),
  sha256: sha256.meta({
    description: "SHA-256 of the function's source, in hexadecimal",
    example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  }),
  size: z.int().min(0).max(MAX_FUNCTION_BYTES).meta({
    description: "Size in bytes",
    example: 13044,
  }),
}).meta({ id: "DeploymentFunction" });
export type DeploymentFunction = z.infer<typeof deploymentFunction>;

export const deploymentUrls = z.object({
  unique: z.url().describe("Permanent URL of this deployment"),
  branch: z.url().describe("URL of the branch's latest deployment"),
  production: z.url().describe("URL of the production deployment"),
});

const deploymentReference = variableReference.extend({
  changed: z.boolean().describe("True if it now resolves to a different value"),
}).meta({ id: "DeploymentReference" });

export const deployment = z.object({
  id: uuid.describe("ID of the deployment"),
  projectId: uuid.describe("ID of the project"),
  project: z.string().meta({ description: "Name of the project", example: "shop" }),
  status: z.enum(DEPLOYMENT_STATES).meta({
    description: "Status of the deployment",
    example: "LIVE",
  }),
  environment: z.string().meta({ description: "Name of the environment", example: "production" }),
  isPreview: z.boolean().describe("False for a production deployment, true otherwise"),
  isProduction: z.boolean().describe(
    "True while production serves this deployment",
  ),
  variablesChanged: z.boolean().describe(
    "True if the environment's variables have changed since the deployment was created. Redeploy to apply them",
  ),
  referencesChanged: z.boolean().default(false).describe(
    "True if a reference in its variables now resolves to a different value. Redeploy to apply it",
  ),
  references: z.array(deploymentReference).default([]).describe(
    "References in its variables, and what they resolved to when it was created",
  ),
  branch: z.string().meta({ description: "Git branch", example: "main" }),
  commitSha: z.string().nullable().meta({
    description: "SHA of the commit; null if unknown",
    example: "8f14e45fceea167a5a36dedd4bea2543c1a0f4d1",
  }),
  message: z.string().nullable().meta({
    description: "Commit message; null if unknown",
    example: "Add the summer menu",
  }),
  author: z.string().nullable().meta({
    description: "Author of the commit; null if unknown",
    example: "Ada Lovelace",
  }),
  url: z.url().meta({ description: "URL of the deployment", example: "https://shop.example.net" }),
  urls: deploymentUrls.describe("URLs that serve the deployment"),
  functions: z.array(z.string()).describe("Names of its functions"),
  fileCount: z.int().meta({ description: "Number of files", example: 42 }),
  totalBytes: z.int().meta({ description: "Total size of the files, in bytes", example: 1048576 }),
  error: z.string().nullable().describe("Why the deployment failed; null otherwise"),
  serverOutput: z.array(z.string()).optional().describe(
    "Last lines of the server's output, oldest first, if it did not start",
  ),
  checks: releaseChecks.optional().describe(
    "Checks that must pass before production serves it, if it has any",
  ),
  migration: z.enum(MIGRATION_OUTCOMES).optional().describe(
    "Whether its migration changed the schema of its database; omitted if it had none",
  ),
  schemaDifference: schemaDifference.optional().describe(
    "How a preview's database branch differed from main when the preview went live",
  ),
  createdAt: timestamp.describe("When the deployment was created"),
  updatedAt: timestamp.describe("When the deployment was last changed"),
  liveAt: timestamp.nullable().describe("When it went live; null if it has not"),
}).meta({ id: "Deployment" });
export type Deployment = z.infer<typeof deployment>;

/** The deployment whose list of files is the base of a difference (`file_difference.ts`). */
export const deploymentBase = z.object({
  deployment: uuid.describe("ID of a deployment in the same project to reuse files from"),
  digest: sha256.describe(
    "SHA-256 of the resulting list: one line `<sha256> <size> <path>` per file, each with a line feed, sorted by the UTF-16 code units of the paths",
  ),
}).strict().meta({ id: "DeploymentBase" });

/**
 * Maximum size of a deployment's description, in bytes. The limit is large enough for a list of
 * 100,000 files.
 */
const MAX_DEPLOYMENT_BYTES = 32 * 1024 * 1024;

export const createDeploymentBody = z.object({
  environment: environmentReference.describe(
    "Name or ID of the environment: `production`, `preview` or a custom one",
  ),
  branch: branchName.optional().describe(
    "Branch to deploy; the production branch if omitted",
  ),
  commitSha: z.string().regex(/^[0-9a-f]{7,40}$/, "Must be 7 to 40 hexadecimal digits").optional()
    .meta({
      description: "SHA of the commit",
      example: "8f14e45fceea167a5a36dedd4bea2543c1a0f4d1",
    }),
  message: z.string().max(500).optional().meta({
    description: "Commit message",
    example: "Add the summer menu",
  }),
  author: z.string().max(200).optional().meta({
    description: "Author of the commit",
    example: "Ada Lovelace",
  }),
  manifest: z.unknown().describe(
    "Content of `.svc/manifest.json`",
  ),
  rules: z.unknown().optional().describe(
    "Edge rule set as written",
  ),
  files: z.array(deploymentFile).max(MAX_FILES).describe(
    "All files of the deployment. With `base`, the new and changed files",
  ),
  base: deploymentBase.optional().describe("Deployment that the file list is based on"),
  removed: z.array(filePath).max(MAX_FILES).default([]).describe(
    "With `base`: paths of files to leave out",
  ),
  functions: z.array(deploymentFunction).max(MAX_FUNCTIONS).default([]).describe(
    "Functions for pipelines",
  ),
}).strict().meta({
  example: {
    environment: "production",
    commitSha: "8f14e45fceea167a5a36dedd4bea2543c1a0f4d1",
    message: "Add the summer menu",
    manifest: {
      version: 1,
      layers: [{ name: "static", target: "STATIC", directory: "." }],
      routes: [{ pattern: "^/.*$", layer: "static" }],
    },
    files: [{
      path: "menu/index.html",
      sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      size: 4,
    }],
  },
});

const createDeploymentAnswer = z.object({
  deployment: deployment.describe("The new deployment"),
  missing: z.array(sha256).describe("SHA-256 of each blob that must be uploaded before activation"),
});

const deploymentParams = z.object({ deployment: uuid.describe("ID of the deployment") });

export const createDeployment = endpoint({
  method: "POST",
  path: "/v1/projects/{project}/deployments",
  summary: "Create a deployment. The response lists the blobs to upload",
  tag: "Deployments",
  params: projectParams,
  body: createDeploymentBody,
  maxBodyBytes: MAX_DEPLOYMENT_BYTES,
  response: createDeploymentAnswer,
  status: 201,
});

const checkDeploymentAnswer = z.object({
  environment: z.string().describe("Environment it would deploy to"),
  branch: z.string().describe("Branch it would deploy as"),
  missing: z.array(sha256).describe("SHA-256 of each blob that must be uploaded"),
});

export const checkDeployment = endpoint({
  method: "POST",
  path: "/v1/projects/{project}/deployment-checks",
  summary: "Check a deployment without creating it",
  tag: "Deployments",
  params: projectParams,
  body: createDeploymentBody,
  maxBodyBytes: MAX_DEPLOYMENT_BYTES,
  response: checkDeploymentAnswer,
});

/** Filters for a list of deployments. A deployment must match all of them. */
export const deploymentFilter = z.object({
  branch: branchName.optional().meta({ description: "Only this branch", example: "main" }),
  environment: environmentReference.optional().describe("Only this environment, by its name"),
  status: z.enum(DEPLOYMENT_STATES).optional().meta({
    description: "Only this status",
    example: "LIVE",
  }),
  sha: z.string().regex(/^[0-9a-f]{4,40}$/, "Use 4 to 40 lowercase hex digits").optional().meta({
    description: "Only commits whose ID starts with this",
    example: "9fceb02",
  }),
});
export type DeploymentFilter = z.infer<typeof deploymentFilter>;

export const listDeployments = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/deployments",
  summary: "List a project's deployments, newest first",
  tag: "Deployments",
  params: projectParams,
  query: pageQuery.extend(deploymentFilter.shape),
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

export const migrateDeployment = endpoint({
  method: "POST",
  path: "/v1/deployments/{deployment}/migrate",
  summary: "Start migrating a deployment's database, or report how its command exited",
  tag: "Deployments",
  params: deploymentParams,
  body: z.object({
    result: commandResult.strict().optional().describe(
      "How the command exited; omit it to start. Only one deployment can migrate a database at a time",
    ),
  }).strict(),
  response: z.object({
    command: z.string().meta({
      description: "Command to run: `migrate` of `[db]` in `svc.toml`",
      example: "npx prisma migrate deploy",
    }),
    variables: z.record(z.string(), z.string()).meta({
      description: "Variables for the command; empty once it has exited",
      example: { DATABASE_URL: "postgres://orders_9f86d081:secret@127.0.0.1:8788/orders" },
    }),
  }),
});

export const stageDeployment = endpoint({
  method: "POST",
  path: "/v1/deployments/{deployment}/stage",
  summary: "Serve a deployment at its own URL, to check it before activation",
  tag: "Deployments",
  params: deploymentParams,
  response: z.object({
    url: z.url().meta({
      description: "URL of the deployment",
      example: "https://shop-k3j9x2.example.net",
    }),
    bypass: z.string().describe(
      "Key that lets requests in for ten minutes if the host is protected. Send the key as `x-svc-bypass`",
    ),
  }),
});

const activateBody = z.object({
  commands: commandResults.optional().describe(
    "Results of the check commands in `svc.toml`, run after the deployment was staged",
  ),
  rolling: rollingPlan.optional().describe(
    "Serves it to a share of production's visitors first; only for production deployments",
  ),
}).strict();

export const activateDeployment = endpoint({
  method: "POST",
  path: "/v1/deployments/{deployment}/activate",
  summary: "Activate a deployment, in one atomic step",
  tag: "Deployments",
  params: deploymentParams,
  body: activateBody,
  maxBodyBytes: 128 * 1024,
  response: deployment,
});

const stopDeploymentBody = z.object({
  unlessLive: z.boolean().optional().describe(
    "If true, respond with 409 instead of stopping a live deployment",
  ),
}).strict();

export const stopDeployment = endpoint({
  method: "POST",
  path: "/v1/deployments/{deployment}/stop",
  summary: "Stop a deployment that is not in production",
  tag: "Deployments",
  params: deploymentParams,
  body: stopDeploymentBody,
  response: deployment,
});

export const promoteDeployment = endpoint({
  method: "POST",
  path: "/v1/deployments/{deployment}/promote",
  summary: "Promote a preview to production, with production's variables",
  tag: "Deployments",
  params: deploymentParams,
  body: z.object({
    rolling: rollingPlan.optional().describe(
      "Serves it to a share of production's visitors first",
    ),
  }).strict(),
  response: deployment,
});

export const redeployDeployment = endpoint({
  method: "POST",
  path: "/v1/deployments/{deployment}/redeploy",
  summary: "Redeploy a deployment's files with the current variables",
  tag: "Deployments",
  params: deploymentParams,
  response: deployment,
  status: 201,
});

const rollbackBody = z.object({
  deploymentId: uuid.optional().describe(
    "Deployment to roll back; the production deployment if omitted",
  ),
  to: uuid.optional().describe(
    "Deployment to roll back to; the previous one if omitted",
  ),
}).strict().meta({ example: { to: "019abf2e-7c4d-7e1a-9b3f-5d6c7a8b9e02" } });

const rollbackAnswer = z.object({
  deployment: deployment.describe("Deployment that is live now"),
  rolledBack: deployment.describe("Deployment that was live before"),
});

export const rollback = endpoint({
  method: "POST",
  path: "/v1/projects/{project}/rollback",
  summary: "Roll production back to an earlier deployment",
  tag: "Deployments",
  params: projectParams,
  body: rollbackBody,
  response: rollbackAnswer,
});
