/** Callers' views of an inbox, and the results of changes. Pure. @module */
import type { Notification } from "../../../contract/notifications.ts";
import type { PersonalScope } from "../../core/access/mod.ts";

export interface InboxView {
  readonly userId: string;
  /**
   * IDs of workspaces, with `null` for the account itself; `null` instead of a list for all
   * workspaces.
   */
  readonly workspaces: readonly (string | null)[] | null;
}

export interface ChangedNotification {
  readonly notification: Notification;
  /** Whether the notification was changed; false if it was already in that state. */
  readonly isNew: boolean;
}

export interface DeletedNotification {
  /**
   * The notification's workspace; `null` for the account, `undefined` if the notification was
   * deleted before.
   */
  readonly workspaceId: string | null | undefined;
}

/**
 * Returns a caller's view. A browser session sees the whole inbox. A token or key sees only the
 * part for its own workspace.
 */
export function inboxViewOf({ userId, workspaceId }: PersonalScope): InboxView {
  return { userId, workspaces: workspaceId === null ? null : [workspaceId] };
}
