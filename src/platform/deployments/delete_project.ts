/**
 * Removing a project with all that belongs to it. The first commit takes it
 * off the air and leaves a tombstone; what remains is removed in batches, and
 * by the next start where a crash came between.
 *
 * @module
 */
import { z } from "zod";
import { BuildStore } from "../builds/build_store.ts";
import { DomainStore } from "../domains/domain_store.ts";
import { HookStore } from "../hooks/hook_store.ts";
import { type ProjectRecord } from "../projects/project.ts";
import { keys } from "../core/store/keys.ts";
import { readAll } from "../core/store/records.ts";
import { hostRecord } from "../projects/host_record.ts";
import { openUploadRecord } from "./open_uploads.ts";

/** Mutations in one commit; Deno KV takes at most 1,000. */
const BATCH = 200;

const tombstone = z.object({ deletedAt: z.number() });

/** Takes the project and its name away; true once that is committed. */
export async function entombProject(
  kv: Deno.Kv,
  project: ProjectRecord,
  now: number,
): Promise<void> {
  await kv.atomic()
    .delete(keys.project(project.workspaceId, project.id))
    .delete(keys.projectByName(project.name))
    .delete(keys.host(project.name))
    .delete(keys.publishedRules(project.id))
    .set(keys.deletion(project.id), { deletedAt: now })
    .commit();
}

async function deleteKeys(kv: Deno.Kv, found: AsyncIterable<Deno.KvKey>): Promise<void> {
  let batch = kv.atomic();
  let size = 0;
  for await (const key of found) {
    batch.delete(key);
    if (++size < BATCH) continue;
    await batch.commit();
    [batch, size] = [kv.atomic(), 0];
  }
  if (size > 0) await batch.commit();
}

async function* keysBelow(kv: Deno.Kv, prefix: Deno.KvKey): AsyncGenerator<Deno.KvKey> {
  for await (const entry of kv.list({ prefix })) yield entry.key;
}

async function* deploymentKeys(kv: Deno.Kv, projectId: string): AsyncGenerator<Deno.KvKey> {
  for await (const key of keysBelow(kv, keys.deployments(projectId))) {
    yield keys.deploymentOwner(String(key[2]));
    yield keys.deploymentVariables(String(key[2]));
    yield key;
  }
}

async function* uploadKeys(kv: Deno.Kv, projectId: string): AsyncGenerator<Deno.KvKey> {
  for await (const { key, value } of readAll(kv, keys.allOpenUploads(), openUploadRecord)) {
    if (value.projectId === projectId) yield key;
  }
}

async function* hostKeys(kv: Deno.Kv, projectId: string): AsyncGenerator<Deno.KvKey> {
  for await (const { key, value } of readAll(kv, keys.hosts(), hostRecord)) {
    if (value.projectId === projectId) yield key;
  }
}

/** Removes what the store has of an entombed project, its tombstone last; can be repeated at any time. */
export async function removeRemains(kv: Deno.Kv, projectId: string): Promise<void> {
  await deleteKeys(kv, hostKeys(kv, projectId));
  await deleteKeys(kv, uploadKeys(kv, projectId));
  await deleteKeys(kv, deploymentKeys(kv, projectId));
  const prefixes = [
    keys.rulesRevisions(projectId),
    keys.environments(projectId),
    keys.environmentNames(projectId),
    keys.variables(projectId),
    keys.variablesVersions(projectId),
  ];
  for (const prefix of prefixes) await deleteKeys(kv, keysBelow(kv, prefix));
  await new DomainStore(kv).removeProject(projectId);
  await new HookStore(kv).removeProject(projectId);
  await new BuildStore(kv).removeProject(projectId);
  await kv.delete(keys.projectHealth(projectId));
  await kv.delete(keys.variablesGuard(projectId));
  await kv.delete(keys.gitCredentials(projectId));
  await kv.delete(keys.deletion(projectId));
}

/** Projects whose deletion a crash interrupted. */
export async function* entombedProjects(kv: Deno.Kv): AsyncGenerator<string> {
  for await (const { key } of readAll(kv, keys.deletions(), tombstone)) yield String(key[1]);
}
