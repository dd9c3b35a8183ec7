/**
 * Lists queues and pages of their messages, and finds messages that were already sent.
 *
 * @module
 */
import * as z from "zod";
import type { MessageState } from "../../contract/queues.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { RecordKey, RecordStore } from "../../store/mod.ts";
import { keys, type Page, type PageRange, readRecord } from "../core/store/mod.ts";
import type { QueueMessage, QueuePlace } from "./message.ts";
import type { QueueStore } from "./queue_store.ts";

/** Maximum number of records to read for one page. The next page continues from there. */
const MAX_SCANNED = 2_000;

/** Returns a page of dead letters, or of waiting messages, newest first. */
export async function listMessages(
  { kv, store }: { readonly kv: RecordStore; readonly store: Pick<QueueStore, "find"> },
  place: QueuePlace,
  { state, limit, cursor }: PageRange & { readonly state: MessageState },
): Promise<Page<QueueMessage>> {
  const prefix = state === "dead" ? keys.queueDead(...place) : keys.queueMessages(...place);
  const selector = cursor === undefined ? { prefix } : { prefix, end: [...prefix, cursor] };
  const items: QueueMessage[] = [];
  let last: string | null = null;
  let read = 0;
  for await (const { key } of kv.list(selector, { limit: MAX_SCANNED + 1, reverse: true })) {
    if (items.length === limit || read++ === MAX_SCANNED) return { items, nextCursor: last };
    last = String(key.at(-1));
    const message = await store.find(place, last);
    if (message !== undefined && (message.deadAt !== null) === (state === "dead")) {
      items.push(message);
    }
  }
  return { items, nextCursor: null };
}

const pointer = z.object({ id: z.string() });

/** Returns the ID of the message that was sent earlier with the sender's own ID. */
export async function findSent(
  kv: RecordStore,
  place: QueuePlace,
  dedupeId: string,
): Promise<string | undefined> {
  return (await readRecord(kv, keys.queueSeen(...place, sha256Hex(dedupeId)), pointer))?.value.id;
}

/** Lists the names of all queues in an environment that have ever had messages. */
export async function namesOfQueues(
  kv: RecordStore,
  projectId: string,
  environment: string,
): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const root of [keys.queueActive, keys.queueCounts]) {
    const prefix = root(projectId, environment);
    for await (const { key } of kv.list({ prefix }, { limit: 1000 })) names.add(String(key[3]));
  }
  // A queue can have many dead letters, so only the first one of each queue is read.
  const prefix = keys.queueDead(projectId, environment);
  for (let start: RecordKey = [...prefix, ""];;) {
    const [letter] = await Array.fromAsync(kv.list({ prefix, start }, { limit: 1 }));
    if (letter === undefined) return names;
    const name = String(letter.key[3]);
    names.add(name);
    start = [...prefix, `${name}\0`];
  }
}
