/** A deployment's events. @module */
import type { RaisedEvent } from "../core/events/mod.ts";
import type { Addresses } from "../core/addresses.ts";
import type { DeploymentRecord } from "./deployment.ts";

export type Moment =
  | "started"
  | "building"
  | "build_success"
  | "build_failed"
  | "live"
  | "failed"
  | "stopped"
  | "rolled_back"
  | "withdrawn";

/**
 * Returns the event for a moment in a deployment's life. The time of the update is part of its key,
 * because a deployment can reach the same state twice.
 */
export function deploymentEvent(
  moment: Moment,
  deployment: DeploymentRecord,
  addresses: Addresses,
): RaisedEvent {
  const { id, projectId, projectName, workspaceId, updatedAt } = deployment;
  const { environment, branch, commitSha, startedBy, error } = deployment;
  const label = moment === "rolled_back" || moment === "withdrawn"
    ? projectName
    : deployment.uniqueLabel;
  return {
    event: `deployment.${moment}`,
    audience: { type: "workspace", workspaceId },
    data: {
      deploymentId: id,
      projectId,
      project: projectName,
      environment,
      branch,
      commitSha,
      ...(startedBy === undefined ? {} : { startedBy }),
      url: addresses.url(label),
      error,
    },
    key: `${id}/${updatedAt}`,
  };
}
