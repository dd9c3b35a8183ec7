/**
 * @module Sends a deployment to the platform: creates it, uploads the missing files, and activates
 * it.
 */
import type { PackedFile } from "../../build/mod.ts";
import { ApiError } from "../../client/errors.ts";
import { type BlobSource, uploadBlobs } from "../../client/upload_blobs.ts";
import type { Client } from "../../client/client.ts";
import { withPatience } from "../../client/patience.ts";
import type { BodyInputOf, ResponseOf } from "../../contract/endpoint.ts";
import type { RollingPlan } from "../../contract/releases.ts";
import { definedOnly } from "../command/defined_only.ts";
import type { CommandResult } from "../../contract/release_checks.ts";
import {
  activateDeployment,
  createDeployment,
  type Deployment,
  migrateDeployment,
  stageDeployment,
} from "../../contract/deployments.ts";
import type { Project } from "../../contract/projects.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { formatBytes, formatCount } from "../terminal/format.ts";
import type { SealedFunction } from "../../runtime/mod.ts";
import { endUnfinished, explainFailure, explainStop } from "./end_unfinished.ts";
import { explainUpload } from "./explain_upload.ts";
import {
  type DeploymentPlace,
  readLastDeployment,
  toDifference,
  writeLastDeployment,
} from "./last_deployment.ts";

/** Runs the check commands against the deployment's URL. */
type CheckCommandsRun = (
  place: ResponseOf<typeof stageDeployment>,
) => Promise<CommandResult[]>;

/** Runs the command that migrates the database. */
type MigrationRun = (
  wanted: ResponseOf<typeof migrateDeployment>,
) => Promise<CommandResult>;

export interface DeploymentRequest {
  /** Missing if there is nothing to migrate. */
  readonly migrate?: MigrationRun | undefined;
  /** The rolling release that serves the deployment to some of production's visitors first. */
  readonly rolling?: RollingPlan | undefined;
  /** Missing if there are no check commands. */
  readonly checkCommands?: CheckCommandsRun | undefined;
  readonly client: Client;
  /** Client that still works after the user has stopped the command. */
  readonly cleanupClient: Client;
  readonly project: Project;
  readonly files: readonly PackedFile[];
  readonly functions: readonly SealedFunction[];
  readonly body: Omit<
    BodyInputOf<typeof createDeployment>,
    "files" | "functions" | "base" | "removed"
  >;
  /** Absolute path of the project's root, below which the last deployment is recorded. */
  readonly root: string;
}

export interface Amount {
  readonly files: number;
  readonly bytes: number;
}

export interface Sent {
  readonly deployment: Deployment;
  /** The number and size of uploaded files. Identical files are uploaded once. */
  readonly uploaded: Amount;
  /** Files that the platform already had, or that are identical to another file. */
  readonly reused: Amount;
}

/**
 * Time to wait for the platform's response after the user has stopped the command, in milliseconds.
 */
const CREATE_PATIENCE = 3000;

/** Time to wait before reporting that the deployment is not live yet, in milliseconds. */
const START_PATIENCE = 5000;

function totalOf(blobs: readonly { readonly size: number }[]): Amount {
  return { files: blobs.length, bytes: blobs.reduce((sum, { size }) => sum + size, 0) };
}

/** Picks one file or function that contains each missing blob. */
export function pickSources(
  parts: Pick<DeploymentRequest, "files" | "functions">,
  missing: readonly string[],
): BlobSource[] {
  const wanted = new Set(missing);
  const sources: BlobSource[] = [];
  for (const { sha256, size, content } of parts.files) {
    if (wanted.delete(sha256)) sources.push({ sha256, size, content });
  }
  for (const { sha256, source } of parts.functions) {
    if (wanted.delete(sha256)) sources.push({ sha256, size: source.byteLength, content: source });
  }
  if (wanted.size === 0) return sources;
  throw new TypeError("Cannot upload: the platform requested unknown blobs");
}

async function upload(
  ctx: Context,
  client: Client,
  { blobs, deployment, files }: {
    readonly blobs: readonly BlobSource[];
    readonly deployment: string;
    readonly files: readonly PackedFile[];
  },
): Promise<void> {
  if (blobs.length === 0) return;
  const total = totalOf(blobs);
  const amount = `${formatCount(total.files, "file")}, ${formatBytes(total.bytes)}`;
  ctx.ui.log("deploy", "info", `Uploading ${amount}`);
  const progress = ctx.ui.progress("deploy", { label: "Uploading", ...total });
  try {
    await uploadBlobs(client, blobs, {
      deployment,
      signal: ctx.signal,
      onProgress: (done) => progress.add(done),
    });
  } catch (error) {
    ctx.signal.throwIfAborted();
    const sent = new Set(blobs.map(({ sha256 }) => sha256));
    throw await explainUpload(ctx, error, files.filter(({ sha256 }) => sent.has(sha256)));
  } finally {
    progress.end();
  }
}

/** Returns the body of the request that creates or checks a deployment, with all files. */
export function toBody(
  { body, files, functions }: Pick<DeploymentRequest, "body" | "files" | "functions">,
) {
  return {
    ...body,
    files: files.map(({ path, sha256, size }) => ({ path, sha256, size })),
    functions: functions.map(({ name, sha256, source }) => ({
      name,
      sha256,
      size: source.byteLength,
    })),
  };
}

/**
 * Creates the deployment, as a difference from the last deployment if the platform still has that
 * one. If the user stops the command during the request, waits for the response, because stopping
 * the deployment requires its ID.
 */
async function create(ctx: Context, request: DeploymentRequest) {
  const { cleanupClient, project, root } = request;
  const whole = toBody(request);
  const shorter = toDifference(whole, await readLastDeployment(root, placeOf(request)));
  const params = { project: project.id };
  const send = async (body: BodyInputOf<typeof createDeployment>) => {
    ctx.signal.throwIfAborted();
    return await withPatience(
      ctx.signal,
      CREATE_PATIENCE,
      (signal) => cleanupClient.call(createDeployment, { params, body, signal }),
    );
  };
  if (shorter === undefined) return await send(whole);
  return await send(shorter).catch((error) => {
    if (error instanceof ApiError && error.code === "base_unusable") return send(whole);
    throw error;
  });
}

function placeOf({ client, project }: DeploymentRequest): DeploymentPlace {
  return { apiUrl: client.baseUrl, projectId: project.id };
}

function toSent(
  deployment: Deployment,
  files: readonly PackedFile[],
  sources: readonly BlobSource[],
): Sent {
  const ofFiles = new Set(files.map(({ sha256 }) => sha256));
  const [all, uploaded] = [
    totalOf(files),
    totalOf(sources.filter(({ sha256 }) => ofFiles.has(sha256))),
  ];
  return {
    deployment,
    uploaded,
    reused: { files: all.files - uploaded.files, bytes: all.bytes - uploaded.bytes },
  };
}

/** Maximum time to wait while another deployment migrates the database, in milliseconds. */
const MIGRATION_PATIENCE = 10 * 60_000;

/** Migrates the database as soon as no other deployment is migrating it. */
async function migrate(
  ctx: Context,
  { client, migrate: run }: Pick<DeploymentRequest, "client" | "migrate">,
  deployment: string,
): Promise<void> {
  if (run === undefined) return;
  const params = { deployment };
  const endsAt = ctx.now() + MIGRATION_PATIENCE;
  const begin = async () => {
    for (let isTold = false;; isTold = true) {
      try {
        return await client.call(migrateDeployment, { params, body: {} });
      } catch (error) {
        const isTaken = error instanceof ApiError && error.code === "unavailable";
        if (!isTaken || ctx.now() > endsAt) throw error;
        if (!isTold) ctx.ui.log("deploy", "info", "Another deployment is migrating the database");
        await ctx.sleep(error.retryAfter ?? 2000);
      }
    }
  };
  const result = await run(await begin());
  await client.call(migrateDeployment, { params, body: { result } });
}

/**
 * Asks the platform to start the server and switch traffic to it. Reports progress if that takes
 * more than a few seconds.
 */
async function activate(
  ctx: Context,
  { client, checkCommands, rolling }: Pick<
    DeploymentRequest,
    "client" | "checkCommands" | "rolling"
  >,
  deployment: string,
): Promise<Deployment> {
  const params = { deployment };
  const patience = setTimeout(() => {
    const lines = ctx.lines.of("logs");
    ctx.ui.log("deploy", "info", `Waiting for the server to start. See its log with "${lines}"`);
  }, START_PATIENCE);
  try {
    if (checkCommands === undefined) {
      const body = definedOnly({ rolling });
      return await client.call(activateDeployment, { params, body, idempotent: true });
    }
    const place = await client.call(stageDeployment, { params, idempotent: true });
    clearTimeout(patience);
    const body = definedOnly({ rolling, commands: await checkCommands(place) });
    return await client.call(activateDeployment, { params, body, idempotent: true });
  } finally {
    clearTimeout(patience);
  }
}

/**
 * Creates the deployment, uploads the files that the platform lacks, and activates it. If that
 * fails or is interrupted, the deployment is stopped unless it is live, and the error says whether
 * it is live. Uploaded blobs stay on the platform, so the next run resumes from there.
 */
export async function sendDeployment(ctx: Context, request: DeploymentRequest): Promise<Sent> {
  const { client, files, cleanupClient, project } = request;
  const { deployment: { id }, missing } = await create(ctx, request);
  let isActivating = false;
  try {
    const blobs = pickSources(request, missing);
    ctx.signal.throwIfAborted();
    await upload(ctx, client, { blobs, deployment: id, files });
    await migrate(ctx, request, id);
    isActivating = true;
    const [live] = await Promise.all([
      activate(ctx, request, id),
      // Even a deployment that fails can be the base of the next one.
      writeLastDeployment(request.root, placeOf(request), { id, files }),
    ]);
    if (live.status === "LIVE") return toSent(live, files, blobs);
    throw new CliError(
      "deployment_failed",
      live.error ?? `Deployment ended with status ${live.status}`,
      {
        details: { deployment: live },
      },
    );
  } catch (error) {
    const ending = await endUnfinished(cleanupClient, id);
    const unfinished = { id, project, isActivating };
    throw ctx.signal.aborted
      ? explainStop(ctx, ending, unfinished)
      : explainFailure(ctx, { error, ending, unfinished });
  }
}
