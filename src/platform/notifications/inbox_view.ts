/**
 * What of an inbox a credential shows. Pure.
 *
 * @module
 */
import type { PersonalScope } from "../core/access/mod.ts";
import type { InboxView } from "./inboxes.ts";

/**
 * A browser session sees all; a tool's token and an API key see what is about
 * their workspace alone.
 */
export function inboxViewOf({ userId, workspaceId }: PersonalScope): InboxView {
  return { userId, workspaces: workspaceId === null ? null : [workspaceId] };
}
