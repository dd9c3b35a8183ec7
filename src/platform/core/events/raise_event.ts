import { type EventData } from "../../../contract/event_data.ts";
import { type EventName } from "../../../contract/events.ts";
/**
 * Lets any part of the platform report that something happened. Notifications decide who is told,
 * and how.
 *
 * @module
 */

/** Whom an event concerns: everyone in a workspace, or one person. */
export type EventAudience =
  | { readonly type: "workspace"; readonly workspaceId: string }
  | { readonly type: "user"; readonly userId: string; readonly workspaceId: string | null };

export interface RaisedEvent {
  readonly event: EventName;
  readonly audience: EventAudience;
  readonly data: EventData;
  /**
   * Identifies the event in its audience, so that raising it again, as after a
   * crash, adds nothing. Without a key, each call is a separate event.
   */
  readonly key?: string;
}

/**
 * Raises an event. Resolves when it is stored, and never rejects: an event that
 * cannot be stored is logged, and must not fail its cause.
 */
export type RaiseEvent = (event: RaisedEvent) => Promise<void>;
