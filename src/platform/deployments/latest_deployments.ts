/** The latest deployments of an environment, for callers that know only their ids. @module */
import type { DeploymentStore } from "./deployment_store.ts";

/** Deployments of an environment that are found by its name. */
const MOST = 200;

export const latestDeployments =
  (deployments: Pick<DeploymentStore, "list">) =>
  async (projectId: string, environment: string): Promise<string[]> => {
    const { items } = await deployments.list(projectId, {
      limit: MOST,
      shows: (deployment) => deployment.environment === environment,
    });
    return items.map(({ id }) => id);
  };
