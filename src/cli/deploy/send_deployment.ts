/**
 * Sending a deployment to the platform: create, upload what is missing,
 * activate.
 *
 * @module
 */
import type { PackedFile } from "../../build/mod.ts";
import { ApiError, type BlobSource, type Client, uploadBlobs } from "../../client/mod.ts";
import { type BodyInputOf, type Deployment, endpoints } from "../../contract/mod.ts";
import type { SealedFunction } from "../../runtime/mod.ts";
import { CliError } from "../cli_error.ts";
import type { Context } from "../context.ts";
import { formatBytes, formatCount } from "../format.ts";

export interface Shipment {
  readonly client: Client;
  /** Calls the platform even after the user has stopped the command. */
  readonly lastCalls: Client;
  readonly projectId: string;
  readonly files: readonly PackedFile[];
  readonly functions: readonly SealedFunction[];
  readonly body: Omit<BodyInputOf<typeof endpoints.createDeployment>, "files" | "functions">;
}

export interface Amount {
  readonly files: number;
  readonly bytes: number;
}

export interface Sent {
  readonly deployment: Deployment;
  /** What travelled. Equal files travel once. */
  readonly uploaded: Amount;
  /** Files whose content the platform had already, or that equal another file. */
  readonly reused: Amount;
}

/** Longest wait for the platform to take back an unfinished deployment, in milliseconds. */
const STOP_PATIENCE = 3000;

function totalOf(blobs: readonly { readonly size: number }[]): Amount {
  return { files: blobs.length, bytes: blobs.reduce((sum, { size }) => sum + size, 0) };
}

/** One file or function for each missing blob. */
export function pickSources(
  parts: Pick<Shipment, "files" | "functions">,
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
  throw new TypeError("Can not upload: the platform asks for blobs that no file has");
}

async function upload(ctx: Context, client: Client, blobs: readonly BlobSource[]): Promise<void> {
  if (blobs.length === 0) return;
  const total = totalOf(blobs);
  const amount = `${formatCount(total.files, "file")}, ${formatBytes(total.bytes)}`;
  ctx.ui.log("deploy", "info", `Uploading ${amount}`);
  const progress = ctx.ui.progress("deploy", { label: "Uploading", ...total });
  try {
    await uploadBlobs(client, blobs, {
      signal: ctx.signal,
      onStored: (stored) => progress.add(stored),
    });
  } finally {
    progress.end();
  }
}

/** Takes back a deployment that will not be finished; the platform does so later by itself. */
async function abandon(ctx: Context, client: Client, id: string): Promise<void> {
  try {
    await client.call(endpoints.stopDeployment, {
      params: { deployment: id },
      signal: AbortSignal.timeout(STOP_PATIENCE),
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    ctx.ui.debug("deploy", `Could not stop deployment ${id}: ${reason}`);
  }
}

/**
 * Creates the deployment, uploads what the platform lacks and activates it.
 * When that fails on the way, nothing is visible, the uploaded blobs stay, and
 * the next run goes on from there.
 */
export async function sendDeployment(ctx: Context, shipment: Shipment): Promise<Sent> {
  const { client, files, functions, projectId } = shipment;
  const { deployment, missing } = await client.call(endpoints.createDeployment, {
    params: { project: projectId },
    body: {
      ...shipment.body,
      files: files.map(({ path, sha256, size }) => ({ path, sha256, size })),
      functions: functions.map(({ name, sha256, source }) => ({
        name,
        sha256,
        size: source.byteLength,
      })),
    },
  });
  const sources = pickSources(shipment, missing);
  let activating = false;
  try {
    await upload(ctx, client, sources);
    activating = true;
    const live = await client.call(endpoints.activateDeployment, {
      params: { deployment: deployment.id },
      idempotent: true,
    });
    if (live.status !== "LIVE") {
      throw new CliError("deployment_failed", live.error ?? `Deployment ended as ${live.status}`, {
        details: { deployment: live },
      });
    }
    const ofFiles = new Set(files.map(({ sha256 }) => sha256));
    const inFiles = sources.filter(({ sha256 }) => ofFiles.has(sha256));
    const [all, uploaded] = [totalOf(files), totalOf(inFiles)];
    return {
      deployment: live,
      uploaded,
      reused: { files: all.files - uploaded.files, bytes: all.bytes - uploaded.bytes },
    };
  } catch (error) {
    const mayBeLive = activating && !(error instanceof ApiError);
    if (!mayBeLive) await abandon(ctx, shipment.lastCalls, deployment.id);
    throw error;
  }
}
