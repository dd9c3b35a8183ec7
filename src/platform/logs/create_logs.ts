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
import { bindLogRoutes } from "./routes.ts";

export interface Logs {
  readonly logs: AccessLogs;
  readonly capability: Capability;
}

export function createLogs(
  { dataDir, edges, closing, onTrouble }: Pick<
    Foundation,
    "dataDir" | "edges" | "closing" | "onTrouble"
  >,
  { projects, observer }: { readonly projects: ProjectStore; readonly observer?: LogObserver },
): Logs {
  const logs = new AccessLogs(dataDir.logs, {
    onTrouble,
    observer,
    collect: () => edges.collectLines(),
  });
  return {
    logs,
    capability: {
      name: "logs",
      bindRoutes: (router) => bindLogRoutes(router, { projects, logs, closing }),
      removeProject: (projectId) => logs.remove(projectId),
      close: () => logs.close(),
    },
  };
}
