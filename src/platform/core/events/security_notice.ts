/** Turns an audit log entry into an event for the person whom the entry concerns. @module */
import type { SecurityEvent } from "../../../contract/security.ts";
import type { RaisedEvent } from "./raise_event.ts";

/** Returns the event that notifies a person of a change to their account. */
export function securityNotice(entry: SecurityEvent): RaisedEvent {
  const { id, event, userId, workspaceId, detail, address, country } = entry;
  return {
    event,
    audience: { type: "user", userId, workspaceId },
    data: { detail, address, country },
    key: id,
  };
}
