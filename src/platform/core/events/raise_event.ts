import { type EventData } from "../../../contract/event_data.ts";
import { type EventName } from "../../../contract/events.ts";
/**
 * Lets any part of the platform report that something happened. Notifications decide whom to
 * notify, and how.
 *
 * @module
 */

/** The audience of an event: everyone in a workspace, or one person. */
export type EventAudience =
  | { readonly type: "workspace"; readonly workspaceId: string }
  | { readonly type: "user"; readonly userId: string; readonly workspaceId: string | null };

export interface RaisedEvent {
  readonly event: EventName;
  readonly audience: EventAudience;
  readonly data: EventData;
  /**
   * Identifies the event within its audience. Raising the same event again, for example after a
   * crash, has no effect.
   */
  readonly key?: string;
}

/**
 * Raises an event. Resolves once the event is stored. Never rejects, because failures are logged.
 */
export type RaiseEvent = (event: RaisedEvent) => Promise<void>;
