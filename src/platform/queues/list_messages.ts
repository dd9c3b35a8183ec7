/**
 * Pages of the messages of a queue.
 *
 * @module
 */
import type { MessageState } from "../../contract/queues.ts";
import type { RecordStore } from "../../store/mod.ts";
import { keys, type Page, type PageWish } from "../core/store/mod.ts";
import type { QueueMessage, QueuePlace } from "./message.ts";
import type { QueueStore } from "./queue_store.ts";

/** Maximum number of records that one page reads; the next page goes on from there. */
const MAX_SCANNED = 2_000;

/** A page of dead letters, or of messages that wait, newest first. */
export async function listMessages(
  { kv, store }: { readonly kv: RecordStore; readonly store: Pick<QueueStore, "find"> },
  place: QueuePlace,
  { state, limit, cursor }: PageWish & { readonly state: MessageState },
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
