/**
 * The content of the frame of a signed-in person's page.
 *
 * @module
 */
import { PAGE_LIMIT_MAX } from "../../contract/common.ts";
import type { PageContext } from "../layout/page_context.ts";
import { selfCallerOf } from "../../platform/core/access/mod.ts";
import type { WorkspaceService } from "../../platform/workspaces/mod.ts";
import type { PersonVisit } from "./page_binder.tsx";

/** Short lists, such as environments, whole: up to the largest page of the API. */
export const WHOLE_LIST = { limit: PAGE_LIMIT_MAX } as const;

/** Workspaces that the frame of a page names; the page of all workspaces has the rest. */
const NAMED_WORKSPACES = { limit: 20 } as const;

/** Messages of completed actions, by their name in the URL (`?done=`). */
const DONE: Readonly<Record<string, string>> = {
  "password-changed": "The password is changed. All other sessions were ended.",
  "email-added": "You can sign in with the address and password from now on.",
  "two-factor-off": "The second factor is off.",
  "session-ended": "The session is ended.",
  "tool-revoked": "The tool's token is revoked.",
  "chat-unlinked": "The chat is unlinked.",
  "browser-removed": "The browser is removed.",
  "workspace-left": "You left the workspace.",
  "role-changed": "The role is changed.",
  "member-removed": "The member is removed.",
  "invitation-withdrawn": "The invitation is withdrawn.",
  "key-revoked": "The API key is revoked.",
  "key-changed": "The API key is changed.",
  "publisher-added": "The publisher is trusted.",
  "publisher-removed": "The publisher is removed, and its keys have ended.",
  "workspace-made": "The workspace is made. It is yours.",
  "workspace-joined": "You are in.",
  "project-made": "The project is made.",
  "settings-saved": "The settings are saved. The next deployment follows them.",
  "previews-saved": "The protection is saved. It takes effect on the next request.",
  "project-deleted": "The project is deleted, with its deployments.",
  "promoted": "Production shows this deployment now.",
  "redeployed": "The same files are deployed again, with the variables of now.",
  "rolled-back": "Production shows the deployment that was live before.",
  "stopped": "The deployment is stopped.",
  "build-cancelled": "The build is cancelled.",
  "domain-verified": "The records are as they should be. The domain is verified.",
  "domain-removed": "The domain is removed.",
  "variable-set": "The variable is set. Deployments that follow see it.",
  "variable-removed": "The variable is removed. Deployments that follow no longer see it.",
  "hook-deleted": "The deploy hook is deleted. Its address stopped working.",
  "hook-renamed": "The deploy hook is renamed.",
  "database-made": "The database is being made.",
  "branch-made": "The branch is being made.",
  "value-set": "The value is set.",
  "value-removed": "The key is removed.",
  "branch-removed": "The branch is removed.",
};

/** Collects what the frame shows for a visit. */
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
  };
}
