/**
 * Deletes a project's data from the top capability down, because upper capabilities depend on lower
 * ones. @module
 */
import type { Clock } from "../lib/clock.ts";
import type { Capability } from "../platform/core/capability.ts";
import { deleteKeys } from "../platform/core/store/mod.ts";
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

/** Finishes deletions that were interrupted by a crash. */
export async function finishDeletions(parts: DeletionParts): Promise<void> {
  for await (const projectId of deletedProjects(parts.kv)) await removeRemains(parts, projectId);
}

/** This can be repeated at any time, because the tombstone is removed last. */
async function removeRemains({ kv, capabilities }: DeletionParts, projectId: string) {
  for (const each of capabilities.toReversed()) {
    await each.removeProject?.(projectId);
    if (each.projectKeys !== undefined) await deleteKeys(kv, each.projectKeys(projectId));
  }
  await finishDeletion(kv, projectId);
}
