/** Wires up the health checks for production's servers. @module */
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { keys } from "../core/store/mod.ts";
import { findProject, type ProjectStore } from "../projects/mod.ts";
import { HealthMonitor, type HealthServices } from "./health_monitor.ts";
import { HealthStore } from "./health_store.ts";
import { ServersElsewhere } from "./servers_elsewhere.ts";
import { endpoints } from "../../contract/endpoints.ts";
import type { Router } from "../core/http/mod.ts";

function bindHealthRoutes(
  router: Router,
  services: { readonly projects: ProjectStore; readonly healthMonitor: HealthMonitor },
): void {
  const { projects, healthMonitor } = services;
  router.guarded(
    endpoints.getProjectHealth,
    async (caller, { params }) =>
      await healthMonitor.of(await findProject(projects, caller, params.project)),
  );
}

export function createHealth(
  { kv, nodes, peers, events, addresses, now, closing, onTrouble }: Foundation,
  parts: Pick<HealthServices, "computeService" | "sites"> & { readonly projects: ProjectStore },
): Capability {
  const { projects, ...services } = parts;
  const healthMonitor = new HealthMonitor({
    addresses,
    nodes,
    now,
    onTrouble,
    store: new HealthStore(kv),
    raiseEvent: events.raise,
    ...services,
    elsewhere: new ServersElsewhere({ ...services, peers, closing }),
  });
  return {
    name: "health",
    bindRoutes: (router) => bindHealthRoutes(router, { projects, healthMonitor }),
    recover: () => healthMonitor.start(),
    storeChanged: (changed) => healthMonitor.follow(changed),
    close: () => healthMonitor.close(),
    forgetProject(projectId) {
      healthMonitor.forget(projectId);
      return Promise.resolve();
    },
    async *projectKeys(projectId) {
      yield keys.projectHealth(projectId);
    },
  };
}
