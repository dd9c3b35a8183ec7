/**
 * `GET /v1/me`: who the caller is.
 *
 * @module
 */
import { endpoints } from "../../contract/mod.ts";
import type { Router } from "../http/router.ts";

export function bindAccountRoutes(router: Router): void {
  router.guarded(endpoints.getIdentity, ({ user, workspace, credential }) => ({
    user,
    workspace,
    credential,
  }));
}
