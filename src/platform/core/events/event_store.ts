/** Events in Deno KV, from when they are raised until everyone has been notified. @module */
import { eventData } from "../../../contract/event_data.ts";
import { eventName } from "../../../contract/events.ts";
import * as z from "zod";
import { commitVersioned, DamagedRecordError, readAll } from "../store/mod.ts";
import { eventAudience, eventNote, noteKey, NOTES } from "./event_note.ts";
import type { EventIds } from "./event_id.ts";
import type { EventAudience, RaisedEvent } from "./raise_event.ts";
import type { Entry, Lease, RecordKey, RecordStore } from "../../../store/mod.ts";

const eventKeys = {
  /** Events that have not been passed on yet, in order. */
  pending: (): RecordKey => ["events", "pending"],
  pendingEvent: (id: string): RecordKey => ["events", "pending", id],
  /** Events that cannot be read, which are kept for diagnosis. */
  damaged: (id: string): RecordKey => ["events", "damaged", id],
  /** ID of the newest event. */
  last: (): RecordKey => ["events", "last"],
  /** ID of the event that was raised with a key. */
  byKey: (audience: EventAudience, event: string, key: string): RecordKey => [
    "event_by_key",
    audience.type,
    audience.type === "user" ? audience.userId : audience.workspaceId,
    event,
    key,
  ],
} as const;

/** Time within which an event with the same key is not stored again, in milliseconds. */
const KEY_MS = 30 * 24 * 60 * 60 * 1000;

const eventRecord = z.object({
  /** A version 7 UUID. Later events have greater IDs. */
  id: z.string(),
  event: eventName,
  audience: eventAudience,
  data: eventData,
  createdAt: z.number(),
});
export type EventRecord = z.infer<typeof eventRecord>;

export interface NewEvent extends Omit<EventRecord, "id"> {
  readonly key: string | undefined;
}

/** Maximum number of keys per `getMany` in Deno KV. */
const MANY = 10;

/**
 * Returns the store key under which an event's ID is stored, or `undefined` for an event without a
 * key.
 */
const keyOf = ({ key, audience, event }: NewEvent): RecordKey | undefined =>
  key === undefined ? undefined : eventKeys.byKey(audience, event, key);

interface AddedEvents {
  /**
   * The events' IDs, in order. If an event's key was used before, this is the ID of the earlier
   * event.
   */
  readonly ids: readonly string[];
  readonly stored: readonly EventRecord[];
}

export class EventStore {
  /** Version of the record with the newest event's ID, as last stored by this process. */
  #guardVersion: string | undefined;

  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  /** Stores events in one commit. The commit fails if the ID of the newest event has changed. */
  async add(events: readonly NewEvent[], newIds: EventIds): Promise<AddedEvents> {
    const guard = eventKeys.last();
    const { result, versionstamp } = await commitVersioned(this.#kv, [guard], async (operation) => {
      // If another process has changed the ID, the next attempt reads it.
      const known = this.#guardVersion;
      this.#guardVersion = undefined;
      const version = known ?? await this.#follow(newIds);
      const used = await this.#usedKeys(events);
      const ids: string[] = [];
      const stored: EventRecord[] = [];
      for (const { key, ...event } of events) {
        const byKey = keyOf({ ...event, key });
        const name = JSON.stringify(byKey);
        if (key !== undefined) operation.delete(noteKey({ ...event, key }));
        const same = byKey && used.get(name);
        if (same !== undefined) {
          ids.push(same);
          continue;
        }
        const id = newIds.next();
        const record = { ...event, id };
        ids.push(id);
        stored.push(record);
        operation.set(eventKeys.pendingEvent(id), record);
        if (byKey === undefined) continue;
        used.set(name, id);
        operation.set(byKey, id, { expireIn: KEY_MS });
      }
      const last = stored.at(-1)?.id;
      if (last !== undefined) {
        operation.check({ key: guard, versionstamp: version }).set(guard, last);
      }
      return { ids, stored };
    });
    if (result.stored.length > 0) this.#guardVersion = versionstamp;
    return result;
  }

  /**
   * Ensures that new IDs are greater than the newest stored ID. Returns the version of the newest
   * ID.
   */
  async #follow(newIds: EventIds): Promise<string | null> {
    const { value, versionstamp } = await this.#kv.get(eventKeys.last());
    if (versionstamp !== null) newIds.resume(z.string().parse(value));
    return versionstamp;
  }

  /**
   * Returns the IDs of earlier events that were stored with the same keys, by the names of the
   * store keys.
   */
  async #usedKeys(events: readonly NewEvent[]): Promise<Map<string, string>> {
    const keys = events.map(keyOf).filter((key) => key !== undefined);
    const groups = Array.from(
      { length: Math.ceil(keys.length / MANY) },
      (_, index) => keys.slice(index * MANY, (index + 1) * MANY),
    );
    const entries = await Promise.all(groups.map((group) => this.#kv.getMany(group)));
    return new Map(
      entries.flat().filter(({ versionstamp }) => versionstamp !== null)
        .map(({ key, value }) => [JSON.stringify(key), z.string().parse(value)]),
    );
  }

  /** Events that were noted but never raised, because the platform was killed. */
  async noted(): Promise<RaisedEvent[]> {
    const notes = await Array.fromAsync(readAll(this.#kv, NOTES, eventNote));
    return notes.map(({ value }) => value);
  }

  async pending(limit: number, lease?: Lease): Promise<EventRecord[]> {
    const events: EventRecord[] = [];
    for await (const entry of this.#kv.list({ prefix: eventKeys.pending() }, { limit })) {
      const parsed = eventRecord.safeParse(entry.value);
      if (parsed.success) events.push(parsed.data);
      else await this.#setAside(entry, parsed.error, lease);
    }
    return events;
  }

  /**
   * Returns whether any of the changed keys belongs to an event that has not been passed on yet.
   */
  static hasPending(changed: readonly RecordKey[]): boolean {
    return changed.some(([first, second]) => first === "events" && second === "pending");
  }

  /** Removes events that were passed on. */
  async remove(events: readonly EventRecord[], lease?: Lease): Promise<void> {
    const operation = this.#kv.atomic();
    for (const { id } of events) operation.delete(eventKeys.pendingEvent(id));
    await operation.commit(lease);
  }

  /** Moves an unreadable event aside, so the remaining events can be passed on. */
  async #setAside(entry: Entry, cause: unknown, lease?: Lease): Promise<void> {
    await this.#kv.atomic().check(entry).delete(entry.key)
      .set(eventKeys.damaged(String(entry.key.at(-1))), entry.value).commit(lease);
    throw new DamagedRecordError(entry.key, cause);
  }
}
