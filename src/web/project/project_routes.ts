/**
 * All pages of a project, bound to their paths.
 *
 * @module
 */
import type { BoardServices, PageBinder } from "../visit/mod.ts";
import { bindDeployments } from "./deployments_routes.ts";
import { bindLogs } from "./logs_routes.ts";

export function bindProjectPages(bind: PageBinder, services: BoardServices): void {
  bindDeployments(bind, services);
  bindLogs(bind, services);
}
