/** Lists the IDs of the latest deployments in an environment. @module */
import type { DeploymentStore } from "./deployment_store.ts";

/** Maximum number of deployments to return for an environment. */
const MOST = 1000;

export const latestDeployments =
  (deployments: Pick<DeploymentStore, "list">) =>
  async (projectId: string, environment: string): Promise<string[]> => {
    const { items } = await deployments.list(projectId, {
      limit: MOST,
      shows: (deployment) => deployment.environment === environment,
    });
    return items.map(({ id }) => id);
  };
