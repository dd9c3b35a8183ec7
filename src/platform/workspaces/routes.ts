/**
 * `GET /v1/workspaces`. An API key is bound to its workspace, so that is the
 * one that its caller can see.
 *
 * @module
 */
import { endpoints } from "../../contract/mod.ts";
import type { AccountStore } from "../accounts/account_store.ts";
import type { Router } from "../http/router.ts";

export function bindWorkspaceRoutes(router: Router, accounts: AccountStore): void {
  router.guarded(endpoints.listWorkspaces, async (caller) => {
    const workspace = await accounts.findWorkspace(caller.workspace.id);
    const items = workspace === undefined ? [] : [{
      ...caller.workspace,
      createdAt: new Date(workspace.createdAt).toISOString(),
    }];
    return { items, nextCursor: null };
  });
}
