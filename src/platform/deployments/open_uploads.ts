/**
 * Deployments whose files are being uploaded. Every byte that arrives is a heartbeat. After a few
 * minutes without a heartbeat, the upload is closed, so a killed CLI leaves nothing pending
 * (docs/decisions/cli.md).
 *
 * @module
 */
import * as z from "zod";
import type { Clock } from "../../lib/clock.ts";
import { keys, readAll, readRecord } from "../core/store/mod.ts";
import type { DeploymentRecord } from "./deployment.ts";
import type { Operation, RecordKey, RecordStore } from "../../store/mod.ts";

/** Maximum time without receiving a byte for a deployment, in milliseconds (5 minutes). */
export const UPLOAD_IDLE_MS = 5 * 60 * 1000;

/** Minimum time between two stored heartbeats of a deployment, in milliseconds. */
const FEED_EVERY_MS = 15_000;

export const openUploadRecord = z.object({
  projectId: z.string(),
  deploymentId: z.string(),
  workspaceId: z.string(),
  /** When the last bytes arrived, in milliseconds since the epoch. */
  fedAt: z.number(),
});
type OpenUpload = z.infer<typeof openUploadRecord>;

/** Returns whether files for a deployment may still arrive: before it is built, live or ended. */
export function takesFiles({ status, source }: DeploymentRecord): boolean {
  return source === "upload" && (status === "PENDING" || status === "DEPLOYING");
}

/** Opens the upload in the commit that stores the new deployment. */
export function openUpload(operation: Operation, deployment: DeploymentRecord): void {
  const { id: deploymentId, projectId, workspaceId, createdAt: fedAt } = deployment;
  const upload: OpenUpload = { projectId, deploymentId, workspaceId, fedAt };
  operation.set(keys.openUpload(workspaceId, deploymentId), upload);
}

/** Closes the upload in the commit that ends the deployment. */
export function closeUpload(
  operation: Operation,
  { workspaceId, id }: Pick<DeploymentRecord, "workspaceId" | "id">,
): void {
  operation.delete(keys.openUpload(workspaceId, id));
}

/** Lists the keys of a project's open uploads. */
export async function* uploadKeys(kv: RecordStore, projectId: string): AsyncGenerator<RecordKey> {
  for await (const { key, value } of readAll(kv, keys.allOpenUploads(), openUploadRecord)) {
    if (value.projectId === projectId) yield key;
  }
}

export class OpenUploads {
  readonly #kv: RecordStore;
  readonly #now: Clock;

  constructor(kv: RecordStore, now: Clock) {
    this.#kv = kv;
    this.#now = now;
  }

  async keepAlive(workspaceId: string, deploymentId: string): Promise<boolean> {
    const key = keys.openUpload(workspaceId, deploymentId);
    const upload = await readRecord(this.#kv, key, openUploadRecord);
    if (upload === undefined) return false;
    await this.#store(upload.value, upload.versionstamp);
    return true;
  }

  /** Records the arrival of bytes that may be for any of the workspace's deployments. */
  async keepAllAlive(workspaceId: string): Promise<void> {
    const prefix = keys.openUploads(workspaceId);
    for await (const { value } of readAll(this.#kv, prefix, openUploadRecord)) {
      await this.keepAlive(workspaceId, value.deploymentId);
    }
  }

  /** Lists uploads that have received no data since a given time. */
  async *idleSince(moment: number): AsyncGenerator<OpenUpload> {
    for await (const { value } of readAll(this.#kv, keys.allOpenUploads(), openUploadRecord)) {
      if (value.fedAt < moment) yield value;
    }
  }

  /** Removes an upload whose deployment was removed or accepts no more files. */
  async remove({ workspaceId, deploymentId }: OpenUpload): Promise<void> {
    await this.#kv.delete(keys.openUpload(workspaceId, deploymentId));
  }

  /**
   * Stores a heartbeat. A concurrent change takes precedence, because it also stored a heartbeat,
   * or closed the upload.
   */
  async #store(upload: OpenUpload, versionstamp: string): Promise<void> {
    const fedAt = this.#now();
    if (fedAt - upload.fedAt < FEED_EVERY_MS) return;
    const key = keys.openUpload(upload.workspaceId, upload.deploymentId);
    await this.#kv.atomic().check({ key, versionstamp }).set(key, { ...upload, fedAt }).commit();
  }
}
