/** Sets up the servers of deployments. @module */
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { type DeploymentStore, isServed } from "../deployments/mod.ts";
import { ComputeService, type ComputeServices } from "./compute_service.ts";

export interface Compute {
  readonly computeService: ComputeService;
  readonly capability: Capability;
}

/** Removes the files and pages of servers whose deployments have ended. */
async function sweepServers(service: ComputeService, deployments: DeploymentStore): Promise<void> {
  const needed = new Set<string>();
  for await (const { id, status } of deployments.all()) {
    if (isServed(status) || status === "DEPLOYING") needed.add(id);
  }
  await service.sweep((id) => needed.has(id));
}

export function createCompute(
  foundation: Pick<
    Foundation,
    "addresses" | "localRoutes" | "dataDir" | "env" | "feed" | "allowPrivate" | "now" | "onTrouble"
  >,
  parts:
    & { readonly deployments: DeploymentStore }
    & Pick<
      ComputeServices,
      | "cache"
      | "customHosts"
      | "databases"
      | "kvFor"
      | "blobsFor"
      | "logs"
      | "maxServers"
      | "serverSockets"
      | "sandbox"
    >,
): Compute {
  const { addresses, localRoutes, dataDir, env, feed, allowPrivate, now, onTrouble } = foundation;
  const { deployments, ...services } = parts;
  const computeService = new ComputeService({
    addresses,
    localRoutes,
    env,
    allowPrivate,
    now,
    onTrouble,
    dataDir: dataDir.root,
    publish: feed.publish,
    ...services,
  });
  return {
    computeService,
    capability: {
      name: "compute",
      recover: () => computeService.recover(),
      databasesChanged: (projectId) => computeService.databasesChanged(projectId),
      close: () => computeService.close(),
      health: async () => ({ servers: await computeService.describe() }),
      async tidyNode() {
        await sweepServers(computeService, deployments);
        return [];
      },
      async removeProject(projectId) {
        for await (const { id } of deployments.all(projectId)) await computeService.remove(id);
      },
    },
  };
}
