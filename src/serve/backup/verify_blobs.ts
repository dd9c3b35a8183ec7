/**
 * Reads every blob and checks that all blobs that records refer to exist.
 *
 * @module
 */
import { sha256Hex, sha256Stream } from "../../lib/hash.ts";
import { objectBlobs } from "../../platform/blobs/mod.ts";
import { buildLogBlobs } from "../../platform/builds/mod.ts";
import { DeploymentStore, isServed, neededBlobs } from "../../platform/deployments/mod.ts";
import { repositoryBlobs } from "../../platform/git/mod.ts";
import { RulesStore } from "../../platform/rules/rules_store.ts";
import type { BlobName, BlobSource } from "./blob_source.ts";
import type { DamageList } from "./damage_list.ts";
import type { RecordStore } from "../../store/mod.ts";

const nameOf = ({ workspaceId, sha256 }: BlobName): string => `${workspaceId}/${sha256}`;

async function readAll(source: BlobSource, blob: BlobName): Promise<Uint8Array<ArrayBuffer>> {
  const stream = await source.stream(blob);
  if (stream === undefined) throw new Deno.errors.NotFound(`Missing blob ${blob.sha256}`);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Reads a blob's content and compares it with the hash. */
async function readSound(source: BlobSource, blob: BlobName): Promise<Uint8Array<ArrayBuffer>> {
  const content = await readAll(source, blob);
  if (sha256Hex(content) === blob.sha256) return content;
  throw new TypeError(`Blob ${blob.sha256} differs from what was stored`);
}

/** Compares all blobs with their hashes and returns the number of blobs. */
export async function verifyBlobs(
  { source, kv, now }: {
    readonly source: BlobSource;
    /** The records with references to blobs. If they are missing, references are not checked. */
    readonly kv: RecordStore | undefined;
    readonly now: number;
  },
  damage: DamageList,
): Promise<number> {
  const found = new Set<string>();
  for await (const { workspaceId, sha256 } of source.list()) {
    const blob = { workspaceId, sha256 };
    const stream = await source.stream(blob);
    // The blob has been removed in the meantime.
    if (stream === undefined) continue;
    found.add(nameOf(blob));
    if ((await sha256Stream(stream)).sha256 === sha256) continue;
    damage.add(`blob ${sha256} of workspace ${workspaceId} differs from what was stored`);
  }
  if (kv === undefined) return found.size;
  const vault = {
    of: (workspaceId: string) => ({
      read: (sha256: string) => readSound(source, { workspaceId, sha256 }),
    }),
  };
  const deployments = new DeploymentStore(kv);
  let count = found.size;
  const requireBlob = async (blob: BlobName, user: string) => {
    if (found.has(nameOf(blob))) return;
    found.add(nameOf(blob));
    const stream = await source.stream(blob);
    await stream?.cancel();
    if (stream !== undefined) count++;
    else damage.add(`blob ${blob.sha256}, which ${user} needs, is missing or cannot be read`);
  };
  // Unreadable content was already reported as a damaged blob, so it is not reported again here.
  for await (const blob of neededBlobs({ deployments, vault, onDamaged: () => {} }, now)) {
    // An unfinished deployment may still be waiting for its uploads.
    if (!isServed(blob.deployment.status)) continue;
    await requireBlob(blob, `deployment ${blob.deployment.id}`);
  }
  for await (const { workspaceId, sha256, projectId } of objectBlobs(kv)) {
    await requireBlob({ workspaceId, sha256 }, `the blob store of project ${projectId}`);
  }
  for await (const { workspaceId, sha256, projectId } of new RulesStore(kv).blobs()) {
    await requireBlob({ workspaceId, sha256 }, `a rules revision of project ${projectId}`);
  }
  for await (const { workspaceId, sha256, projectId } of repositoryBlobs(kv)) {
    await requireBlob({ workspaceId, sha256 }, `the pushed repository of project ${projectId}`);
  }
  for await (const { workspaceId, sha256, deploymentId } of buildLogBlobs(kv)) {
    await requireBlob({ workspaceId, sha256 }, `the build log of deployment ${deploymentId}`);
  }
  return count;
}
