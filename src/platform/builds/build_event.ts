/**
 * What people are told of a deployment that is built from git.
 *
 * @module
 */
import type { EventName } from "../../contract/mod.ts";
import type { Addresses } from "../deployments/addresses.ts";
import type { DeploymentRecord } from "../deployments/deployment.ts";
import type { RaisedEvent } from "../events/raise_event.ts";

export function buildEvent(
  event: EventName,
  deployment: DeploymentRecord,
  addresses: Addresses,
): RaisedEvent {
  const { id, projectId, projectName, workspaceId, environment, branch, commitSha } = deployment;
  return {
    event,
    audience: { type: "workspace", workspaceId },
    data: {
      deploymentId: id,
      projectId,
      project: projectName,
      url: addresses.url(deployment.uniqueLabel),
      environment,
      branch,
      commitSha,
      error: deployment.error,
    },
    key: `${event}/${id}`,
  };
}
