/**
 * Queues' messages in the store. Every change is one atomic commit, so after a crash at any moment,
 * a message is either sent or not sent, and either done or due.
 *
 * Only the first message with a given key is due. The other messages with that key wait in order,
 * and the commit that settles the first one makes the next one due.
 *
 * @module
 */
import * as z from "zod";
import { MESSAGE_STATES, type MessageState } from "../../contract/queues.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { uuidV7 } from "../../lib/ids.ts";
import type { Check, Operation, RecordKey, RecordStore } from "../../store/mod.ts";
import {
  commitWithRetries,
  countBelow,
  deleteKeys,
  keys,
  keysBelow,
  readAll,
  readRecord,
} from "../core/store/mod.ts";
import {
  INLINE_BYTES,
  messageRecord,
  type NewMessage,
  PART_BYTES,
  type QueueMessage,
  type QueuePlace,
  SEEN_MS,
  textOf,
} from "./message.ts";

const headRecord = z.object({ id: z.string(), last: z.int() });
const pointer = z.object({ id: z.string() });
const countRecord = z.object({ done: z.int() });
const part = z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array);

/** The ID of a message, and the time at which it is due. */
export interface DueEntry {
  readonly id: string;
  readonly at: number;
  readonly version: string;
}

/** The outcome of a delivery. */
export type Ending =
  | { readonly type: "done" }
  | { readonly type: "again"; readonly at: number; readonly reason: string }
  | { readonly type: "dead"; readonly reason: string };

export interface StoreParts {
  readonly kv: RecordStore;
  readonly now: Clock;
  readonly random: Random;
}

const headKey = (place: QueuePlace, key: string) => keys.queueHeads(...place, sha256Hex(key));
const headsOf = (place: QueuePlace, message: QueueMessage | undefined): RecordKey[] =>
  message === undefined || message.key === null ? [] : [headKey(place, message.key)];
const heldOf = (place: QueuePlace, key: string) => [...place, sha256Hex(key)];

export class QueueStore {
  readonly #parts: StoreParts;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  /**
   * Stores a message and returns its ID. If the sender has used the same ID before, returns the
   * earlier message's ID.
   */
  async send(
    place: QueuePlace,
    { labels, key, dedupeId, contentType, body, dueAt }: NewMessage,
  ): Promise<{ readonly id: string; readonly isDuplicate: boolean }> {
    const { kv, now, random } = this.#parts;
    const text = body.byteLength <= INLINE_BYTES ? textOf(body) ?? null : null;
    const message: QueueMessage = {
      id: uuidV7(now, random),
      labels: [...labels],
      key,
      place: null,
      contentType,
      size: body.byteLength,
      text,
      sentAt: now(),
      dueAt,
      attempts: 0,
      lastReason: null,
      deadAt: null,
    };
    const seen = dedupeId === null ? undefined : keys.queueSeen(...place, sha256Hex(dedupeId));
    const contended = [...(key === null ? [] : [headKey(place, key)]), ...(seen ? [seen] : [])];
    return await commitWithRetries(kv, contended, async (operation) => {
      const earlier = seen && await readRecord(kv, seen, pointer);
      if (earlier !== undefined) return { id: earlier.value.id, isDuplicate: true };
      if (seen !== undefined) {
        operation.check({ key: seen, versionstamp: null })
          .set(seen, { id: message.id }, { expireIn: SEEN_MS });
      }
      if (text === null) {
        for (let at = 0; at * PART_BYTES < body.byteLength; at++) {
          const bytes = body.slice(at * PART_BYTES, (at + 1) * PART_BYTES);
          operation.set(keys.queuePart([...place, message.id], at), bytes);
        }
      }
      await this.#enqueue(operation, place, message);
      return { id: message.id, isDuplicate: false };
    });
  }

  /** Adds a message to a commit: due now, or waiting for the other messages with its key. */
  async #enqueue(operation: Operation, place: QueuePlace, message: QueueMessage): Promise<void> {
    const { kv } = this.#parts;
    const { id, key, dueAt } = message;
    operation.set(keys.queueActive(...place), true);
    if (key === null) {
      operation.set(keys.queueMessages(...place, id), message)
        .set(keys.queueDueAt(place, dueAt, id), true);
      return;
    }
    const head = await readRecord(kv, headKey(place, key), headRecord);
    const number = (head?.value.last ?? 0) + 1;
    operation.check({ key: headKey(place, key), versionstamp: head?.versionstamp ?? null })
      .set(headKey(place, key), { id: head?.value.id ?? id, last: number })
      .set(keys.queueMessages(...place, id), { ...message, place: number });
    if (head === undefined) operation.set(keys.queueDueAt(place, dueAt, id), true);
    else operation.set(keys.queueHeldAt(heldOf(place, key), number), { id });
  }

  async find(place: QueuePlace, id: string): Promise<QueueMessage | undefined> {
    return (await readRecord(this.#parts.kv, keys.queueMessages(...place, id), messageRecord))
      ?.value;
  }

  async bodyOf(place: QueuePlace, message: QueueMessage): Promise<Uint8Array<ArrayBuffer>> {
    if (message.text !== null) return new TextEncoder().encode(message.text);
    const parts = readAll(this.#parts.kv, keys.queueParts(...place, message.id), part);
    const bytes = await Array.fromAsync(parts, ({ value }) => value);
    return new Uint8Array(await new Blob(bytes).arrayBuffer());
  }

  /** Lists messages in the order in which they are due. */
  async *due(place: QueuePlace, batchSize: number): AsyncGenerator<DueEntry> {
    const prefix = keys.queueDue(...place);
    for await (const { key, versionstamp } of this.#parts.kv.list({ prefix }, { batchSize })) {
      yield { at: Number(key.at(-2)), id: String(key.at(-1)), version: versionstamp };
    }
  }

  /** Returns the version to check when removing the queue. Every sent message changes it. */
  async activity(place: QueuePlace): Promise<Check> {
    const key = keys.queueActive(...place);
    const { versionstamp } = await this.#parts.kv.get(key);
    return { key, versionstamp };
  }

  /**
   * Stores the outcome of a delivery. Returns `false` if the message has changed in the meantime.
   *
   * @param known the message, read after its entry. Both change only together
   * @param fence checks that this process still delivers the queue
   */
  async end(
    place: QueuePlace,
    entry: DueEntry,
    { known, ending, fence = [] }: {
      readonly known: QueueMessage | undefined;
      readonly ending: Ending;
      readonly fence?: readonly Check[];
    },
  ): Promise<boolean> {
    const { kv, now } = this.#parts;
    const due = keys.queueDueAt(place, entry.at, entry.id);
    const contended = [due, ...headsOf(place, known)];
    let isRepeated = false;
    return await commitWithRetries(kv, contended, async (operation) => {
      let [versionstamp, message]: [string | null, typeof known] = [entry.version, known];
      if (isRepeated) {
        if (await this.#isLost(fence)) return false;
        versionstamp = (await kv.get(due)).versionstamp;
        message = await this.find(place, entry.id);
      }
      isRepeated = true;
      if (versionstamp === null) return false;
      operation.check({ key: due, versionstamp }, ...fence).delete(due);
      if (message === undefined) return true;
      const attempted = {
        ...message,
        attempts: message.attempts + 1,
        lastReason: ending.type === "done" ? null : ending.reason,
      };
      const key = keys.queueMessages(...place, message.id);
      if (ending.type === "again") {
        operation.set(key, { ...attempted, dueAt: ending.at })
          .set(keys.queueDueAt(place, ending.at, message.id), true);
        return true;
      }
      if (ending.type === "done") await this.#drop(operation, place, message);
      else {
        operation.set(key, { ...attempted, deadAt: now() })
          .set(keys.queueDead(...place, message.id), true);
      }
      await this.#promote(operation, place, message);
      return true;
    });
  }

  async #isLost(fence: readonly Check[]): Promise<boolean> {
    const current = await Promise.all(fence.map(({ key }) => this.#parts.kv.get(key)));
    return current.some(({ versionstamp }, index) => versionstamp !== fence[index]!.versionstamp);
  }

  async #drop(operation: Operation, place: QueuePlace, message: QueueMessage): Promise<void> {
    operation.delete(keys.queueMessages(...place, message.id));
    if (message.text !== null) return;
    const parts = keysBelow(this.#parts.kv, keys.queueParts(...place, message.id));
    for await (const key of parts) operation.delete(key);
  }

  /** Makes the next message with a key due. */
  async #promote(operation: Operation, place: QueuePlace, { key }: QueueMessage): Promise<void> {
    if (key === null) return;
    const { kv, now } = this.#parts;
    const at = headKey(place, key);
    const head = await readRecord(kv, at, headRecord);
    if (head === undefined) return;
    operation.check({ key: at, versionstamp: head.versionstamp });
    const prefix = keys.queueHeld(...heldOf(place, key));
    for await (const { key: held, value } of kv.list({ prefix }, { batchSize: 2 })) {
      operation.delete(held);
      const { id } = pointer.parse(value);
      const next = await this.find(place, id);
      if (next === undefined) continue;
      const dueAt = Math.max(now(), next.dueAt);
      operation.set(at, { ...head.value, id })
        .set(keys.queueMessages(...place, id), { ...next, dueAt })
        .set(keys.queueDueAt(place, dueAt, id), true);
      return;
    }
    operation.delete(at);
  }

  /**
   * Delivers a dead letter or a waiting message again, with a new count of attempts. Returns `held`
   * for a message that is waiting for another one with the same key.
   */
  async retry(place: QueuePlace, id: string): Promise<"retried" | "held" | "missing"> {
    const { kv, now } = this.#parts;
    const at = keys.queueMessages(...place, id);
    const known = await this.find(place, id);
    const contended = [at, ...headsOf(place, known)];
    return await commitWithRetries(kv, contended, async (operation) => {
      const found = await readRecord(kv, at, messageRecord);
      if (found === undefined) return "missing";
      const message = { ...found.value, attempts: 0, deadAt: null, dueAt: now() };
      operation.check({ key: at, versionstamp: found.versionstamp });
      if (found.value.deadAt !== null) {
        operation.delete(keys.queueDead(...place, id));
        await this.#enqueue(operation, place, message);
        return "retried";
      }
      const due = keys.queueDueAt(place, found.value.dueAt, id);
      const { versionstamp } = await kv.get(due);
      if (versionstamp === null) return "held";
      operation.check({ key: due, versionstamp }).delete(due).set(at, message)
        .set(keys.queueDueAt(place, message.dueAt, id), true);
      return "retried";
    });
  }

  /**
   * Deletes a message that is in one of the given states. Returns `false` if it is in none of them,
   * because its state may have changed since it was listed.
   */
  async remove(
    place: QueuePlace,
    id: string,
    states: readonly MessageState[] = MESSAGE_STATES,
  ): Promise<boolean> {
    const { kv } = this.#parts;
    const at = keys.queueMessages(...place, id);
    const known = await this.find(place, id);
    const contended = [at, ...headsOf(place, known)];
    return await commitWithRetries(kv, contended, async (operation) => {
      const found = await readRecord(kv, at, messageRecord);
      if (found === undefined) return false;
      const { value: message, versionstamp } = found;
      if (!states.includes(message.deadAt === null ? "waiting" : "dead")) return false;
      operation.check({ key: at, versionstamp });
      await this.#drop(operation, place, message);
      if (message.deadAt !== null) {
        operation.delete(keys.queueDead(...place, id));
        return true;
      }
      const due = keys.queueDueAt(place, message.dueAt, id);
      const isDue = (await kv.get(due)).versionstamp !== null;
      if (isDue) {
        operation.delete(due);
        await this.#promote(operation, place, message);
      } else if (message.key !== null && message.place !== null) {
        operation.delete(keys.queueHeldAt(heldOf(place, message.key), message.place));
      }
      return true;
    });
  }

  /** Lists IDs of dead letters or of waiting messages, oldest first. */
  async idsOf(place: QueuePlace, state: MessageState, limit: number): Promise<string[]> {
    const { kv } = this.#parts;
    if (state === "dead") {
      const entries = kv.list({ prefix: keys.queueDead(...place) }, { limit });
      return await Array.fromAsync(entries, ({ key }) => String(key.at(-1)));
    }
    const ids: string[] = [];
    for await (const { id } of this.due(place, 100)) if (ids.push(id) >= limit) return ids;
    for await (const { value } of kv.list({ prefix: keys.queueHeld(...place) }, { limit })) {
      if (ids.push(pointer.parse(value).id) >= limit) return ids;
    }
    return ids;
  }

  /** Counts waiting messages and dead letters. Stops at `most`. */
  async count(
    place: QueuePlace,
    most: number,
  ): Promise<{ readonly waiting: number; readonly dead: number; readonly done: number }> {
    const { kv } = this.#parts;
    const [due, held, dead, counts] = await Promise.all([
      countBelow(kv, keys.queueDue(...place), most),
      countBelow(kv, keys.queueHeld(...place), most),
      countBelow(kv, keys.queueDead(...place), most),
      readRecord(kv, keys.queueCounts(...place), countRecord),
    ]);
    return { waiting: Math.min(most, due + held), dead, done: counts?.value.done ?? 0 };
  }

  /** Adds deliveries to the stored count of a queue. */
  async countDone(place: QueuePlace, more: number): Promise<void> {
    const { kv } = this.#parts;
    const key = keys.queueCounts(...place);
    await commitWithRetries(kv, [key], async (operation) => {
      const found = await readRecord(kv, key, countRecord);
      operation.check({ key, versionstamp: found?.versionstamp ?? null })
        .set(key, { done: (found?.value.done ?? 0) + more });
    });
  }

  /** Deletes dead letters that are older than the given time. */
  async sweep(before: number, signal: AbortSignal): Promise<number> {
    let count = 0;
    for await (const { key } of this.#parts.kv.list({ prefix: keys.queueDead() })) {
      if (signal.aborted) break;
      const [, projectId, environment, queue, id] = key.map(String);
      const place: QueuePlace = [projectId!, environment!, queue!];
      const message = await this.find(place, id!);
      if (message !== undefined && (message.deadAt ?? before) >= before) continue;
      if (message === undefined) await this.#parts.kv.delete(key);
      else if (await this.remove(place, id!, ["dead"])) count++;
    }
    return count;
  }

  /** Lists the queues that have messages to deliver. */
  async *active(): AsyncGenerator<QueuePlace> {
    for await (const { key } of this.#parts.kv.list({ prefix: keys.queueActive() })) {
      const [, projectId, environment, queue] = key.map(String);
      yield [projectId!, environment!, queue!];
    }
  }

  /** Lists the keys of everything that is stored for a project, or for one of its environments. */
  async *keysOf(...of: readonly string[]): AsyncGenerator<RecordKey> {
    for (const root of ROOTS) yield* keysBelow(this.#parts.kv, root(...of));
  }

  /** Deletes everything that is stored for an environment. */
  async removeEnvironment(projectId: string, environment: string): Promise<void> {
    await deleteKeys(this.#parts.kv, this.keysOf(projectId, environment));
  }
}

/** The due entries are removed first, because a message without such an entry is not delivered. */
const ROOTS: readonly ((...of: readonly string[]) => RecordKey)[] = [
  keys.queueDue,
  keys.queueHeld,
  keys.queueHeads,
  keys.queueDead,
  keys.queueMessages,
  keys.queueParts,
  keys.queueSeen,
  keys.queueCounts,
  keys.queueClaims,
  keys.queueActive,
];
