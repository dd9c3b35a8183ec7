/**
 * Creates the capability of workspaces over one store.
 *
 * @module
 */
import type { AccountParts } from "../accounts/mod.ts";
import type { AuditLog } from "../audit/mod.ts";
import type { Capability } from "../core/capability.ts";
import { InvitationStore } from "./invitation_store.ts";
import { bindWorkspaceRoutes } from "./routes.ts";
import { WorkspaceService } from "./workspace_service.ts";
import type { RecordStore } from "../../store/mod.ts";

/** The capability of workspaces. */
export interface Workspaces {
  readonly workspaces: WorkspaceService;
  readonly capability: Capability;
}

/** Builds the service over the parts of accounts; reads nothing yet. */
export function createWorkspaces(
  { parts, kv, audit }: {
    readonly parts: AccountParts;
    readonly kv: RecordStore;
    readonly audit: Pick<AuditLog, "record">;
  },
): Workspaces {
  const workspaces = new WorkspaceService(parts, new InvitationStore(kv), audit);
  return {
    workspaces,
    capability: {
      name: "workspaces",
      bindRoutes: (router) => bindWorkspaceRoutes(router, workspaces),
    },
  };
}
