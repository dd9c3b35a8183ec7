/**
 * Notes about events, each stored in the same commit as the event's cause. If the platform is
 * killed before it raises the event, the next start raises it.
 *
 * @module
 */
import { eventData } from "../../../contract/event_data.ts";
import { eventName } from "../../../contract/events.ts";
import * as z from "zod";
import type { EventAudience, RaisedEvent } from "./raise_event.ts";
import type { Draft, RecordKey } from "../../../store/mod.ts";

export const eventAudience = z.discriminatedUnion("type", [
  z.object({ type: z.literal("workspace"), workspaceId: z.string() }),
  z.object({ type: z.literal("user"), userId: z.string(), workspaceId: z.string().nullable() }),
]);

export const eventNote = z.object({
  event: eventName,
  audience: eventAudience,
  data: eventData,
  key: z.string(),
});

export const NOTES: RecordKey = ["event_notes"];

export function noteKey(
  { audience, event, key }: {
    readonly audience: EventAudience;
    readonly event: RaisedEvent["event"];
    readonly key: string;
  },
): RecordKey {
  const receiver = audience.type === "user" ? audience.userId : audience.workspaceId;
  return [...NOTES, audience.type, receiver, event, key];
}

/** Adds the note for an event to a commit. Raising the event removes the note. */
export function noteEvent(
  operation: Pick<Draft, "set">,
  raised: RaisedEvent,
): void {
  const { key } = raised;
  if (key === undefined) throw new TypeError(`Set a key to note ${raised.event}`);
  operation.set(noteKey({ ...raised, key }), raised);
}
