/**
 * All pages of a project, bound to their paths.
 *
 * @module
 */
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { bindDatabases } from "./databases_routes.ts";
import { bindEdge } from "./edge_routes.ts";
import { bindDeployments } from "./deployments_routes.ts";
import { bindDomains } from "./domains_routes.ts";
import { bindUsage } from "./usage_routes.ts";
import { bindErrors } from "./errors_routes.ts";
import { bindHooks } from "./hooks_routes.ts";
import { bindKv } from "./kv_routes.ts";
import { bindLogs } from "./logs_routes.ts";
import { bindSettings } from "./settings_routes.ts";
import { bindTraffic } from "./traffic_routes.ts";
import { bindVariables } from "./variables_routes.ts";

export function bindProjectPages(bind: PageBinder, services: BoardServices): void {
  bindDeployments(bind, services);
  bindLogs(bind, services);
  bindTraffic(bind, services);
  bindUsage(bind, services);
  bindErrors(bind, services);
  bindDomains(bind, services);
  bindVariables(bind, services);
  bindHooks(bind, services);
  bindDatabases(bind, services);
  bindKv(bind, services);
  bindEdge(bind, services);
  bindSettings(bind, services);
}
