/** Housekeeping: fails abandoned builds, and removes blobs that are no longer needed. @module */
import type { RaiseEvent } from "../core/events/mod.ts";
import type { BlobStore, BlobVault } from "../core/store/mod.ts";
import type { Addresses } from "../core/addresses.ts";
import { blobsOf, loadContent } from "./content.ts";
import { canMove, type DeploymentRecord, moveDeployment } from "./deployment.ts";
import { deploymentEvent } from "./deployment_event.ts";
import type { DeploymentStore } from "./deployment_store.ts";
import { type Lease, LeaseLostError, type Led } from "../../store/mod.ts";

const HOUR_MS = 60 * 60 * 1000;

/**
 * How long an unfinished deployment can stay unchanged before it counts as abandoned, in
 * milliseconds.
 */
export const MAX_PENDING_MS = 24 * HOUR_MS;

/** How long an unfinished upload's files are kept for the next deploy, in milliseconds. */
export const KEEP_UPLOAD_MS = 24 * HOUR_MS;

/**
 * Age below which blobs are kept, in milliseconds. A younger blob's deployment may be about to be
 * recorded.
 */
const MIN_BLOB_AGE_MS = HOUR_MS;

export interface SweepServices {
  readonly deployments: Led<Pick<DeploymentStore, "all" | "update">>;
  readonly vault: BlobVault;
  readonly addresses: Addresses;
  readonly raiseEvent: RaiseEvent;
  /**
   * Lists the blobs that are needed by anything other than deployments, each with its workspace.
   */
  otherBlobs(): AsyncIterable<{ readonly workspaceId: string; readonly sha256: string }>;
  hasDamagedRecords(): Promise<boolean>;
  /** Called for a deployment whose content cannot be read. */
  onDamaged(deployment: DeploymentRecord, cause: unknown): void;
}

interface SweepReport {
  readonly abandoned: number;
  readonly removedBlobs: number;
}

/** Returns whether a deployment is unfinished and has been abandoned. */
function isAbandoned(deployment: DeploymentRecord, now: number): boolean {
  return canMove(deployment.status, "FAILED") && now - deployment.updatedAt > MAX_PENDING_MS;
}

async function failAbandoned(
  { deployments, addresses, raiseEvent }: SweepServices,
  now: number,
  lease: Lease,
): Promise<number> {
  let count = 0;
  for await (const { projectId, id, ...deployment } of deployments.all()) {
    if (!isAbandoned({ projectId, id, ...deployment }, now)) continue;
    const failed = await deployments.update(
      [projectId, id],
      (current) =>
        isAbandoned(current, now)
          ? moveDeployment(current, "FAILED", {
            now,
            error: "The deployment was not finished within a day",
          })
          : current,
      { lease },
    );
    if (failed?.status === "FAILED") await raiseEvent(deploymentEvent("failed", failed, addresses));
    count++;
  }
  return count;
}

function needsBlobs(deployment: DeploymentRecord, now: number): boolean {
  const { status, source, liveAt, updatedAt } = deployment;
  if (status !== "FAILED" && status !== "STOPPED") return true;
  return source === "upload" && liveAt === null && now - updatedAt <= KEEP_UPLOAD_MS;
}

interface NeededBlob {
  readonly workspaceId: string;
  readonly sha256: string;
  readonly deployment: DeploymentRecord;
}

/** Yields a deployment's content, and then its blobs. `onDamaged` may throw to abort. */
export async function* neededBlobs(
  { deployments, vault, onDamaged }: Pick<SweepServices, "onDamaged"> & {
    readonly deployments: Pick<DeploymentStore, "all">;
    readonly vault: { of(workspaceId: string): Pick<BlobStore, "read"> };
  },
  now: number,
): AsyncGenerator<NeededBlob> {
  for await (const deployment of deployments.all()) {
    const { workspaceId, contentSha } = deployment;
    if (contentSha === null || !needsBlobs(deployment, now)) continue;
    const needed = (sha256: string): NeededBlob => ({ workspaceId, sha256, deployment });
    yield needed(contentSha);
    try {
      const content = await loadContent(vault.of(workspaceId), contentSha);
      for (const { sha256 } of blobsOf(content)) yield needed(sha256);
      for (const { sha256 } of deployment.functions) yield needed(sha256);
    } catch (cause) {
      if (cause instanceof LeaseLostError) throw cause;
      onDamaged(deployment, cause);
    }
  }
}

/**
 * Collects all needed blobs. If there is unreadable content or a damaged record, nothing is swept.
 */
async function markNeeded(
  services: SweepServices,
  now: number,
): Promise<(workspaceId: string, sha256: string) => boolean> {
  const needed = new Set<string>();
  let isWhole = true;
  const onDamaged: SweepServices["onDamaged"] = (deployment, cause) => {
    isWhole = false;
    services.onDamaged(deployment, cause);
  };
  for await (const { workspaceId, sha256 } of neededBlobs({ ...services, onDamaged }, now)) {
    needed.add(`${workspaceId}/${sha256}`);
    if (!isWhole) break;
  }
  for await (const { workspaceId, sha256 } of services.otherBlobs()) {
    needed.add(`${workspaceId}/${sha256}`);
  }
  // Reading the records above may have revealed damage.
  if (!isWhole || await services.hasDamagedRecords()) return () => true;
  return (workspaceId, sha256) => needed.has(`${workspaceId}/${sha256}`);
}

/** Runs one round of housekeeping. It can run at any time. */
export async function sweep(
  services: SweepServices,
  now: number,
  lease: Lease,
): Promise<SweepReport> {
  const abandoned = await failAbandoned(services, now, lease);
  const removedBlobs = await services.vault.sweep({
    mark: () => markNeeded(services, now),
    lease,
    minAgeMs: MIN_BLOB_AGE_MS,
    now,
  });
  return { abandoned, removedBlobs };
}
