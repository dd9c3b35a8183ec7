/**
 * What of an inbox a credential shows. Pure.
 *
 * @module
 */
import type { Holder } from "../accounts/caller.ts";
import type { InboxView } from "./inboxes.ts";

/**
 * A browser session sees all; a tool that its owner signed in sees its
 * workspace and the account; an API key, which automation holds, sees its
 * workspace alone.
 */
export function inboxViewOf({ user, credential, workspaceId }: Holder): InboxView {
  if (workspaceId === null) return { userId: user.id, workspaces: null };
  const workspaces = credential.type === "api_key" ? [workspaceId] : [workspaceId, null];
  return { userId: user.id, workspaces };
}
