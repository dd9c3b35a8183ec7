/**
 * Deletes projects. The first commit removes a project's record and name, and leaves a tombstone.
 * The tombstone exists until the project's other data has been removed, so that the next start can
 * continue the deletion after a crash.
 *
 * @module
 */
import * as z from "zod";
import { keys, readAll } from "../core/store/mod.ts";
import { hostRecord } from "./host_record.ts";
import type { ProjectRecord } from "./project.ts";
import { projects } from "./project_store.ts";
import type { RecordKey, RecordStore } from "../../store/mod.ts";

const tombstone = z.object({ deletedAt: z.number() });

/** Removes the project and its name from the store and leaves the tombstone, in one commit. */
export async function markDeleted(
  kv: RecordStore,
  project: ProjectRecord,
  now: number,
): Promise<void> {
  const operation = kv.atomic()
    .delete(keys.host(project.name))
    .set(keys.deletion(project.id), { deletedAt: now });
  projects.drop(operation, project);
  await operation.commit();
}

/** Lists the IDs of projects whose deletion has started but not finished. */
export async function* deletedProjects(kv: RecordStore): AsyncGenerator<string> {
  for await (const { key } of readAll(kv, keys.deletions(), tombstone)) yield String(key[1]);
}

/** Removes the tombstone once nothing is left of the project. */
export async function finishDeletion(kv: RecordStore, projectId: string): Promise<void> {
  await kv.delete(keys.deletion(projectId));
}

/** Lists the keys of the project's own records: host labels and git credentials. */
export async function* projectKeys(kv: RecordStore, projectId: string): AsyncGenerator<RecordKey> {
  for await (const { key, value } of readAll(kv, keys.hosts(), hostRecord)) {
    if (value.projectId === projectId) yield key;
  }
  yield keys.gitCredentials(projectId);
}
