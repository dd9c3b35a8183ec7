/**
 * Deletes the data of projects and environments. A project's data is deleted from the top
 * capability down, because upper capabilities depend on lower ones.
 *
 * @module
 */
import type { Clock } from "../lib/clock.ts";
import type { Capability, DeletedEnvironment } from "../platform/core/capability.ts";
import { deleteKeys } from "../platform/core/store/mod.ts";
import { deletedEnvironments, finishEnvironmentDeletion } from "../platform/environments/mod.ts";
import {
  deletedProjects,
  finishDeletion,
  markDeleted,
  type ProjectRecord,
} from "../platform/projects/mod.ts";
import type { RecordStore } from "../store/mod.ts";

interface DeletionParts {
  readonly kv: RecordStore;
  readonly capabilities: readonly Capability[];
}

/** Takes a project offline, then deletes its data. */
export async function deleteProject(
  parts: DeletionParts & { readonly now: Clock },
  project: ProjectRecord,
): Promise<void> {
  await markDeleted(parts.kv, project, parts.now());
  for (const each of parts.capabilities.toReversed()) await each.forgetProject?.(project.id);
  await removeRemains(parts, project.id);
}

/** Deletes the data of an environment whose record has been removed. */
export async function deleteEnvironmentData(
  { kv, capabilities }: DeletionParts,
  environment: DeletedEnvironment,
): Promise<void> {
  for (const each of capabilities) await each.removeEnvironment?.(environment);
  await finishEnvironmentDeletion(kv, environment);
}

/** Finishes deletions that were interrupted by a crash. */
export async function finishDeletions(parts: DeletionParts): Promise<void> {
  for await (const projectId of deletedProjects(parts.kv)) await removeRemains(parts, projectId);
  for await (const environment of deletedEnvironments(parts.kv)) {
    await deleteEnvironmentData(parts, environment);
  }
}

/** This can be repeated at any time, because the tombstone is removed last. */
async function removeRemains({ kv, capabilities }: DeletionParts, projectId: string) {
  for (const each of capabilities.toReversed()) {
    await each.removeProject?.(projectId);
    if (each.projectKeys !== undefined) await deleteKeys(kv, each.projectKeys(projectId));
  }
  await finishDeletion(kv, projectId);
}
