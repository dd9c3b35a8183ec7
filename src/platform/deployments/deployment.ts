/** A deployment's record, its state transitions, and its wire format. Pure. @module */
import * as z from "zod";
import {
  type Deployment,
  DEPLOYMENT_STATES,
  type DeploymentFilter,
  type DeploymentState,
} from "../../contract/deployments.ts";
import { MIGRATION_OUTCOMES, schemaDifference } from "../../contract/schema_difference.ts";
import { releaseChecks } from "../../contract/release_checks.ts";
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import { cronTaskSchema, databaseSchema } from "../../manifest/mod.ts";
import { PROTECTIONS } from "../../lib/protection.ts";
import type { Addresses } from "../core/addresses.ts";

/** The possible triggers of a build. */
const BUILD_TRIGGERS = ["push", "upload", "hook", "request"] as const;
export type BuildTrigger = (typeof BUILD_TRIGGERS)[number];

export const deploymentRecord = z.object({
  id: z.string(),
  projectId: z.string(),
  workspaceId: z.string(),
  projectName: z.string(),
  status: z.enum(DEPLOYMENT_STATES),
  environment: z.string(),
  branch: z.string(),
  commitSha: z.string().nullable(),
  message: z.string().nullable(),
  author: z.string().nullable(),
  /** ID of the person who started the deployment, directly or with a key. */
  startedBy: z.string().optional(),
  uniqueLabel: z.string(),
  branchLabel: z.string(),
  /** The source of the deployment's content: a CLI upload, or a build of its commit. */
  source: z.enum(["upload", "git"]).default("upload"),
  /** The build's trigger; missing if there was no build, or in records from older versions. */
  trigger: z.enum(BUILD_TRIGGERS).optional(),
  /**
   * The preview whose content this deployment serves in production; `null` for a direct deployment.
   */
  promotedFrom: z.string().nullable().default(null),
  /**
   * The deployment that this one repeats with the current variables; `null` if this deployment
   * repeats none.
   */
  redeployOf: z.string().nullable().default(null),
  /**
   * Hash of the blob that contains the manifest, the file list and the rules; `null` until a build
   * has created the blob.
   */
  contentSha: z.string().nullable(),
  /** The scheduled tasks in the manifest. */
  cron: z.array(cronTaskSchema).default([]),
  /**
   * Who can visit the deployment, according to its manifest. If missing, the project's setting
   * applies.
   */
  protection: z.enum(PROTECTIONS).optional(),
  /** How to create a preview's database branch, according to the deployment's manifest. */
  database: databaseSchema.optional(),
  /**
   * Whether the migration command changed the database's schema; missing until the command has run.
   */
  migration: z.enum(MIGRATION_OUTCOMES).optional(),
  /** How a preview's database branch differs from `main`. */
  schemaDifference: schemaDifference.optional(),
  /** The deployment's sealed functions; empty until it is activated. */
  functions: z.array(z.object({ name: z.string(), sha256: z.string() })),
  variablesVersion: z.string(),
  /**
   * The resolved values of the references in the deployment's variables; missing if there are no
   * references.
   */
  references: z.array(z.object({
    variable: z.string(),
    /** The text between the braces. */
    reference: z.string(),
    value: z.string().nullable(),
  })).optional(),
  fileCount: z.number(),
  totalBytes: z.number(),
  error: z.string().nullable(),
  /** The last lines of the server's output, if the server did not start. */
  serverOutput: z.array(z.string()).optional(),
  /**
   * Results of the checks that must pass before production serves the deployment; missing until
   * they have run.
   */
  checks: releaseChecks.optional(),
  createdAt: z.number(),
  updatedAt: z.number(),
  liveAt: z.number().nullable(),
});
export type DeploymentRecord = z.infer<typeof deploymentRecord>;

/**
 * The state transitions (design: "Deployment states"). An upload becomes DEPLOYING without a build,
 * and a deployment that was rolled back can be the target of another rollback.
 */
const MOVES: Readonly<Record<DeploymentState, readonly DeploymentState[]>> = {
  PENDING: ["BUILDING", "DEPLOYING", "FAILED", "STOPPED"],
  BUILDING: ["DEPLOYING", "FAILED", "STOPPED"],
  DEPLOYING: ["LIVE", "FAILED", "STOPPED"],
  LIVE: ["ROLLED_BACK", "STOPPED"],
  ROLLED_BACK: ["LIVE", "STOPPED"],
  FAILED: [],
  STOPPED: [],
};

export function canMove(from: DeploymentState, to: DeploymentState): boolean {
  return MOVES[from].includes(to);
}

/** Returns whether a deployment in a state serves requests on its own URL. */
export function isServed(status: DeploymentState): boolean {
  return status === "LIVE" || status === "ROLLED_BACK";
}

/** Returns whether a deployment is live or being checked, and therefore served at its own URL. */
export function isReachable({ status, checks }: Pick<DeploymentRecord, "status" | "checks">) {
  return isServed(status) || (status === "DEPLOYING" && checks?.state === "RUNNING");
}

/** @throws {RangeError} if there is no such transition. */
export function moveDeployment(
  deployment: DeploymentRecord,
  to: DeploymentState,
  options: {
    readonly now: number;
    readonly error?: string;
    readonly serverOutput?: readonly string[];
  },
): DeploymentRecord {
  if (!canMove(deployment.status, to)) {
    throw new RangeError(`A deployment cannot go from ${deployment.status} to ${to}`);
  }
  return {
    ...deployment,
    status: to,
    error: options.error ?? null,
    ...(options.serverOutput === undefined ? {} : { serverOutput: [...options.serverOutput] }),
    updatedAt: options.now,
    liveAt: to === "LIVE" ? options.now : deployment.liveAt,
  };
}

export function deploymentToWire(
  deployment: DeploymentRecord,
  context: {
    readonly addresses: Addresses;
    readonly productionId: string | null;
    /** Version of the variables that the deployment's environment currently sees. */
    readonly variablesVersion: string;
    /** The deployment's references that now resolve to something else. */
    readonly changedReferences: ReadonlySet<string>;
  },
): Deployment {
  const { addresses } = context;
  const { uniqueLabel, branchLabel, projectName } = deployment;
  const urls = {
    unique: addresses.url(uniqueLabel),
    branch: addresses.url(branchLabel),
    production: addresses.url(projectName),
  };
  const time = (moment: number) => new Date(moment).toISOString();
  return {
    id: deployment.id,
    projectId: deployment.projectId,
    project: projectName,
    status: deployment.status,
    environment: deployment.environment,
    isPreview: deployment.environment !== ENVIRONMENT_PRODUCTION,
    isProduction: context.productionId === deployment.id,
    variablesChanged: deployment.variablesVersion !== context.variablesVersion,
    referencesChanged: context.changedReferences.size > 0,
    references: (deployment.references ?? []).map((each) => ({
      ...each,
      changed: context.changedReferences.has(each.reference),
    })),
    branch: deployment.branch,
    commitSha: deployment.commitSha,
    message: deployment.message,
    author: deployment.author,
    url: urls.unique,
    urls,
    functions: deployment.functions.map(({ name }) => name),
    fileCount: deployment.fileCount,
    totalBytes: deployment.totalBytes,
    error: deployment.error,
    serverOutput: deployment.serverOutput,
    checks: deployment.checks,
    migration: deployment.migration,
    schemaDifference: deployment.schemaDifference,
    createdAt: time(deployment.createdAt),
    updatedAt: time(deployment.updatedAt),
    liveAt: deployment.liveAt === null ? null : time(deployment.liveAt),
  };
}

const begins = (one: string, other: string): boolean =>
  one.startsWith(other) || other.startsWith(one);

/**
 * Returns a function that tests a deployment against a filter; `undefined` if all deployments pass.
 * `environment` is a name.
 */
export function meeting(
  { branch, environment, status, sha }: DeploymentFilter,
): ((deployment: DeploymentRecord) => boolean) | undefined {
  if ((branch ?? environment ?? status ?? sha) === undefined) return undefined;
  return (deployment) =>
    (branch === undefined || deployment.branch === branch) &&
    (environment === undefined || deployment.environment === environment) &&
    (status === undefined || deployment.status === status) &&
    // A record may contain only the start of the commit's SHA.
    (sha === undefined || deployment.commitSha !== null && begins(deployment.commitSha, sha));
}
