/**
 * Views of an inbox for callers, and results of changes. Pure.
 *
 * @module
 */
import type { Notification } from "../../../contract/notifications.ts";
import type { PersonalScope } from "../../core/access/mod.ts";

/** Whose inbox, and which part of it the caller may see. */
export interface InboxView {
  readonly userId: string;
  /** Ids of workspaces, with `null` for the account itself; `null` instead of a list for all. */
  readonly workspaces: readonly (string | null)[] | null;
}

/** A notification that was marked as read or archived. */
export interface ChangedNotification {
  readonly notification: Notification;
  /** False if it was in that state before. */
  readonly isNew: boolean;
}

/** A notification that was deleted. */
export interface DeletedNotification {
  /** Its workspace; `null` for the account, `undefined` if it was deleted before. */
  readonly workspaceId: string | null | undefined;
}

/**
 * The view of a credential: a browser session sees the whole inbox, while a
 * token of the command-line tool and an API key see only what concerns their
 * workspace.
 */
export function inboxViewOf({ userId, workspaceId }: PersonalScope): InboxView {
  return { userId, workspaces: workspaceId === null ? null : [workspaceId] };
}
