/**
 * How any part of the platform tells that something happened. Who hears of it,
 * and how, is the business of notifications.
 *
 * @module
 */
import type { EventData, EventName } from "../../../contract/mod.ts";

/** Whom an event concerns: everybody in a workspace, or one person. */
export type EventAudience =
  | { readonly type: "workspace"; readonly workspaceId: string }
  | { readonly type: "user"; readonly userId: string; readonly workspaceId: string | null };

export interface RaisedEvent {
  readonly event: EventName;
  readonly audience: EventAudience;
  readonly data: EventData;
  /**
   * What makes the event one and the same when it is raised again, as after a
   * crash: unique in its audience. Where missing, each call is an event of its own.
   */
  readonly key?: string;
}

/**
 * Raises an event. Resolves when it is stored, and never rejects: what cannot
 * be stored is logged, and must not fail what caused it.
 */
export type RaiseEvent = (event: RaisedEvent) => Promise<void>;
