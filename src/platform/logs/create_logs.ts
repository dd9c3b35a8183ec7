/**
 * Composes the logs of requests, functions and servers.
 *
 * @module
 */
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import type { ProjectStore } from "../projects/mod.ts";
import { AccessLogs } from "./access_logs.ts";
import type { LogObserver } from "./log_observer.ts";
import { SharedLogs } from "./shared_logs.ts";
import { bindLogRoutes } from "./routes.ts";

export interface Logs {
  readonly logs: AccessLogs;
  /** Those of all nodes. */
  readonly sharedLogs: SharedLogs;
  readonly capability: Capability;
}

export function createLogs(
  { dataDir, nodes, peers, closing, onTrouble }: Pick<
    Foundation,
    "dataDir" | "nodes" | "peers" | "closing" | "onTrouble"
  >,
  { projects, observer }: { readonly projects: ProjectStore; readonly observer?: LogObserver },
): Logs {
  const logs = new AccessLogs(dataDir.logs, { onTrouble, observer });
  const sharedLogs = new SharedLogs({ local: logs, peers, node: nodes.id, closing, onTrouble });
  return {
    logs,
    sharedLogs,
    capability: {
      name: "logs",
      bindRoutes: (router) => bindLogRoutes(router, { projects, sharedLogs, nodes, closing }),
      removeProject: (projectId) => logs.remove(projectId),
      close: () => logs.close(),
    },
  };
}
