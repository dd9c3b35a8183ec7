/** Wires up workspaces, their members and invitations. @module */
import type { AccountParts } from "../accounts/mod.ts";
import type { AuditLog } from "../audit/mod.ts";
import type { Capability } from "../core/capability.ts";
import { InvitationStore } from "./invitation_store.ts";
import { WorkspaceService } from "./workspace_service.ts";
import type { RecordStore } from "../../store/mod.ts";
import { endpoints } from "../../contract/endpoints.ts";
import type { Router } from "../core/http/mod.ts";

function bindWorkspaceRoutes(router: Router, workspaces: WorkspaceService): void {
  router.self(endpoints.listWorkspaces, (own, { query }) => workspaces.list(own, query));
  router.personal(
    endpoints.createWorkspace,
    (person, { body }) => workspaces.create(person, body),
  );
  router.guarded(
    endpoints.renameWorkspace,
    (caller, { body, note }) => {
      note({ before: caller.workspace });
      return workspaces.rename(caller, body.name);
    },
  );
  router.guarded(endpoints.leaveWorkspace, async (caller, { client, note }) => {
    note({ before: await workspaces.remove(caller, caller.user.id, client) });
    return undefined;
  });

  router.guarded(endpoints.listMembers, (caller, { query }) => workspaces.members(caller, query));
  router.guarded(
    endpoints.changeMember,
    async (caller, { params, body, note }) => {
      const { member, before } = await workspaces.changeRole(caller, params.user, body.role);
      note({ before: { role: before } });
      return member;
    },
  );
  router.guarded(endpoints.removeMember, async (caller, { params, client, note }) => {
    note({ before: await workspaces.remove(caller, params.user, client) });
    return undefined;
  });

  router.guarded(
    endpoints.createInvitation,
    (caller, { body }) => workspaces.invite(caller, body.role),
  );
  router.guarded(
    endpoints.listInvitations,
    (caller, { query }) => workspaces.openInvitations(caller, query),
  );
  router.guarded(endpoints.deleteInvitation, async (caller, { params, note }) => {
    note({ before: await workspaces.withdraw(caller, params.invitation) });
    return undefined;
  });
  router.personal(
    endpoints.acceptInvitation,
    (person, { body, client }) => workspaces.accept(person, body.token, client),
  );
}

/** The workspaces capability and its service. */
export interface Workspaces {
  readonly workspaces: WorkspaceService;
  readonly capability: Capability;
}

/** Creates the service from the parts of the accounts capability. Reads nothing yet. */
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
