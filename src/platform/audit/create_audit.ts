/** Serves `GET /v1/audit`, and records changes in the audit log. @module */
import { endpoints } from "../../contract/endpoints.ts";
import { formatCount } from "../../lib/format.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import type { CompletedCall } from "../core/http/mod.ts";
import { AuditLog } from "./audit_log.ts";
import { projectOf, subjectOf } from "./audit_subjects.ts";
import { recordedName } from "./recorded_operations.ts";

export interface Audit {
  readonly capability: Capability;
  readonly audit: AuditLog;
  /** Records an API call if it belongs in the log. */
  recordCall(call: CompletedCall): Promise<void>;
}

/** Finds a project by ID or name. */
type FindProject = (
  workspaceId: string,
  reference: string,
) => Promise<{ readonly id: string; readonly name: string } | undefined>;

export function createAudit(
  foundation: Pick<Foundation, "kv" | "now" | "random" | "onTrouble">,
  findProject: FindProject,
): Audit {
  const audit = new AuditLog(foundation);
  return {
    audit,
    async recordCall(call) {
      const { endpoint, caller, client, path, requestId } = call;
      const action = recordedName(endpoint);
      if (action === undefined) return;
      const { user, credential, workspace } = caller;
      await audit.record({
        workspaceId: workspace.id,
        action,
        path,
        project: projectOf(call),
        requestId,
        ...subjectOf(action, call),
        user: { id: user.id, name: user.name },
        credential: { type: credential.type, id: credential.id, name: credential.name },
        address: client.address,
      });
    },
    capability: {
      name: "audit",
      bindRoutes(router) {
        router.guarded(
          endpoints.listAudit,
          async (caller, { query: { project, ...query } }) => {
            const { id } = caller.workspace;
            if (project === undefined) return await audit.list(id, query);
            const found = await findProject(id, project);
            // The project may have been deleted.
            const projects = found === undefined ? [project] : [found.id, found.name];
            return await audit.list(id, { ...query, projects });
          },
        );
      },
      async tidyNode(signal) {
        const removed = await audit.trim(signal);
        if (removed === 0) return [];
        return [`removed ${formatCount(removed, "old audit log entry", "old audit log entries")}`];
      },
    },
  };
}
