/** @module Collects the content of the frame around a signed-in person's page. */
import { PAGE_LIMIT_MAX } from "../../contract/common.ts";
import type { PageContext } from "../layout/page_context.ts";
import { isUuid } from "../../lib/ids.ts";
import { selfCallerOf } from "../../platform/core/access/mod.ts";
import type { WorkspaceService } from "../../platform/workspaces/mod.ts";
import type { PersonVisit } from "./page_binder.tsx";

/**
 * Query that requests the API's maximum page size, to read a short list such as the environments in
 * one call.
 */
export const WHOLE_LIST = { limit: PAGE_LIMIT_MAX } as const;

/** Maximum number of workspaces in a page's frame. The workspaces page lists all of them. */
const NAMED_WORKSPACES = { limit: 20 } as const;

/** Messages for completed actions, by name in the URL (`?done=`). */
const DONE: Readonly<Record<string, string>> = {
  "password-changed": "Password changed. You are signed out everywhere else.",
  "email-added": "You can now sign in with this email address and password.",
  "two-factor-off": "Two-factor authentication turned off.",
  "session-ended": "Session signed out.",
  "tool-revoked": "Access revoked.",
  "chat-unlinked": "Chat unlinked.",
  "browser-removed": "Browser removed.",
  "workspace-left": "You left the workspace.",
  "role-changed": "Role changed.",
  "member-removed": "Member removed.",
  "invitation-withdrawn": "Invitation withdrawn.",
  "key-revoked": "API key revoked.",
  "key-changed": "API key updated.",
  "publisher-added": "Publisher added.",
  "publisher-removed": "Publisher removed. Its keys no longer work.",
  "workspace-made": "Workspace created.",
  "workspace-joined": "You joined the workspace.",
  "project-made": "Project created.",
  "settings-saved": "Settings saved. They take effect with the next deployment.",
  "previews-saved": "Preview protection saved.",
  "project-deleted": "Project deleted.",
  "promoted": "Promoted to production.",
  "redeployed": "Redeployed the same files with the current variables.",
  "rolled-back": "Rolled back to the previous deployment.",
  "restored": "Rolled back to this deployment.",
  "released": "Everyone sees the new deployment.",
  "withdrawn": "Everyone sees the old deployment again.",
  "stopped": "Deployment stopped.",
  "build-cancelled": "Build cancelled.",
  "build-retried": "Started the build again, with the current settings and variables.",
  "domain-verified": "Domain verified.",
  "domain-removed": "Domain removed.",
  "variable-set": "Variable set. It takes effect with the next deployment.",
  "variable-removed": "Variable removed. The next deployment won't have it.",
  "edge-drained": "The edge is drained. Its clients use other edges.",
  "edge-used": "The edge serves clients again.",
  "webhook-on": "Webhook turned on.",
  "webhook-off": "Webhook turned off.",
  "webhook-deleted": "Webhook deleted.",
  "delivery-replayed": "Queued the delivery again. It keeps the same webhook-id.",
  "drain-added": "Drain added. Send a test to check it.",
  "drain-removed": "Drain removed.",
  "rules-published": "Rules published. Production uses them now.",
  "rules-restored": "Rules restored. Production uses them now.",
  "rules-removed": "Rules removed. Production uses the deployment's own rules again.",
  "task-succeeded": "The task ran. See its response below.",
  "task-running": "The task is running.",
  "variables-set": "Variables set. They take effect with the next deployment.",
  "environment-made": "Environment created.",
  "environment-deleted": "Environment deleted.",
  "hook-deleted": "Deploy hook deleted. Its URL no longer works.",
  "hook-renamed": "Deploy hook renamed.",
  "database-made": "Creating the database.",
  "branch-made": "Creating the branch.",
  "value-set": "Value saved.",
  "value-removed": "Key removed.",
  "files-uploaded": "Files uploaded.",
  "object-deleted": "Object deleted.",
  "branch-removed": "Branch deleted.",
  "branch-reset": "Resetting the branch to its parent.",
  "database-deleted": "Database deleted. You can restore it for seven days.",
  "row-added": "Row added.",
  "row-saved": "Row saved.",
  "row-same": "Nothing changed.",
  "row-removed": "Row deleted.",
  "snapshot-made": "Snapshot created.",
  "snapshot-restored": "Restoring the snapshot.",
  "snapshot-removed": "Snapshot deleted.",
  "message-retried": "Redelivering the message.",
  "message-deleted": "Message deleted.",
  "letters-retried": "Redelivering the dead letters, at most 1,000 at a time.",
  "submission-deleted": "Submission deleted.",
  "submissions-deleted": "Submissions deleted. At most 200 are deleted at a time.",
  "letters-deleted": "Dead letters deleted. At most 1,000 are deleted at a time.",
};

/** Actions that replace the production deployment. */
const UNDOABLE: ReadonlySet<string> = new Set([
  "promoted",
  "redeployed",
  "rolled-back",
  "restored",
]);

/**
 * Returns the path that undoes an action. The page at this path asks for confirmation, because
 * anyone can create such a URL.
 */
function undoOf(name: string, before: string | null): string | undefined {
  const isKnown = UNDOABLE.has(name) && before !== null && isUuid(before);
  return isKnown ? `/deployments/${before}/restore` : undefined;
}

/** Collects the frame's content for a visit. */
export async function pageContextOf(
  { person, csrf, path, query }: PersonVisit,
  workspaces: WorkspaceService,
): Promise<PageContext> {
  const name = query.get("done") ?? "";
  return {
    person,
    csrf,
    workspaces: (await workspaces.list(selfCallerOf(person), NAMED_WORKSPACES)).items,
    path,
    done: Object.hasOwn(DONE, name) ? DONE[name] : undefined,
    undo: undoOf(name, query.get("undo")),
  };
}
