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
  /** False if it was already in that state. */
  readonly isNew: boolean;
}

export interface DeletedNotification {
  /** Its workspace; `null` for the account, `undefined` if it was deleted before. */
  readonly workspaceId: string | null | undefined;
}

/** A browser session sees the whole inbox. A token or key sees only its workspace's part. */
export function inboxViewOf({ userId, workspaceId }: PersonalScope): InboxView {
  return { userId, workspaces: workspaceId === null ? null : [workspaceId] };
}
