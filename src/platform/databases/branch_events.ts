/**
 * People are notified of databases that fail, and of their recovery.
 *
 * @module
 */
import { MAIN_BRANCH } from "../../contract/databases.ts";
import type { EventBus } from "../core/events/mod.ts";
import type { ProjectStore } from "../projects/mod.ts";
import type { BranchRecord, DatabaseRecord } from "./records.ts";

/**
 * Raises `health.check_failed` where a branch could not be made. That it works
 * is no news, unless it failed before: then `health.recovered`.
 */
export async function raiseBranchEvent(
  { projects, events }: {
    readonly projects: Pick<ProjectStore, "find">;
    readonly events: Pick<EventBus, "raise">;
  },
  { workspaceId, projectId, name }: DatabaseRecord,
  { name: branch, failure, task }: BranchRecord,
): Promise<void> {
  if (failure === null) return;
  const project = await projects.find(workspaceId, projectId);
  const which = branch === MAIN_BRANCH
    ? `Database "${name}"`
    : `Branch "${branch}" of database "${name}"`;
  await events.raise({
    event: "health.check_failed",
    audience: { type: "workspace", workspaceId },
    data: {
      projectId,
      project: project?.name ?? null,
      reason: `${which} failed: ${failure}`,
    },
    key: `database/${task?.target.id ?? branch}`,
  });
}
