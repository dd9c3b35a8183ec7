/**
 * Inboxes in Deno KV.
 *
 * @module
 */
import { readAll, readRecord } from "../../core/store/mod.ts";
import { notificationContent } from "../delivery/job.ts";
import type { NotificationContent } from "../delivery/types.ts";
import {
  EMPTY_HEAD,
  type InboxHead,
  inboxHead,
  InboxIndex,
  type NumberedPage,
} from "./inbox_index.ts";
import { changePage } from "./inbox_index.ts";
import { InboxPage, storedPage } from "./inbox_page.ts";
import { notificationKeys as keys } from "../notification_keys.ts";

/** Pages that are removed in one commit. */
const MAX_REMOVED = 500;

/** Keys of one `getMany` (Deno KV). */
const MANY = 10;

export interface InboxChange {
  readonly head?: InboxHead;
  /** The new pages; the contents of their `removedIds` are removed. */
  readonly pages?: readonly NumberedPage[];
  readonly added?: readonly NotificationContent[];
}

/** Applies to a page the bulk changes that it missed because of a crash. */
function caughtUp(
  stored: { readonly number: number; readonly page: InboxPage; readonly applied: number },
  head: InboxHead,
): NumberedPage {
  let { page } = stored;
  const removedIds: string[] = [];
  for (const change of head.unfinished) {
    if (change.number <= stored.applied) continue;
    const changed = changePage(page, change);
    if (changed === undefined) continue;
    page = changed.page;
    removedIds.push(...changed.deleted);
  }
  return { number: stored.number, page, removedIds, behind: page !== stored.page };
}

export class InboxStore {
  constructor(private readonly kv: Deno.Kv) {}

  /** Reads an inbox without the contents of its notifications. */
  async load(userId: string): Promise<InboxIndex> {
    const head = (await readRecord(this.kv, keys.inbox(userId), inboxHead))?.value ?? EMPTY_HEAD;
    const pages: NumberedPage[] = [];
    for await (const { key, value } of readAll(this.kv, keys.pages(userId), storedPage)) {
      const { applied, ...packed } = value;
      const stored = { number: Number(key.at(-1)), page: new InboxPage(packed), applied };
      pages.push(caughtUp(stored, head));
    }
    const isDead = ({ page, behind }: NumberedPage) => page.isDead && !behind;
    await this.removePages(userId, pages.filter(isDead));
    return new InboxIndex(head, pages.filter((page) => !isDead(page)));
  }

  /** Removes pages whose notifications are all deleted. */
  private async removePages(userId: string, pages: readonly NumberedPage[]): Promise<void> {
    for (let start = 0; start < pages.length; start += MAX_REMOVED) {
      const operation = this.kv.atomic();
      for (const { number } of pages.slice(start, start + MAX_REMOVED)) {
        operation.delete(keys.page(userId, number));
      }
      await operation.commit();
    }
  }

  /** Removes a page and the contents of its notifications in one commit. */
  async removePage(userId: string, { number, page }: NumberedPage): Promise<void> {
    const operation = this.kv.atomic().delete(keys.page(userId, number));
    for (let row = 0; row < page.count; row++) {
      operation.delete(keys.content(userId, page.stateAt(row).id));
    }
    await operation.commit();
  }

  /** Stores a change in one commit. `changes` is the number of the newest bulk change. */
  async commit(
    userId: string,
    { head, pages = [], added = [] }: InboxChange,
    changes: number,
  ): Promise<void> {
    const operation = this.kv.atomic();
    if (head !== undefined) operation.set(keys.inbox(userId), head);
    for (const { number, page, removedIds } of pages) {
      operation.set(keys.page(userId, number), { applied: changes, ...page.packed() });
      for (const id of removedIds) operation.delete(keys.content(userId, id));
    }
    for (const each of added) operation.set(keys.content(userId, each.id), each);
    await operation.commit();
  }

  /** The contents of notifications; one that is gone by now is left out. */
  async contents(
    userId: string,
    ids: readonly string[],
  ): Promise<Map<string, NotificationContent>> {
    const groups = Array.from(
      { length: Math.ceil(ids.length / MANY) },
      (_, index) => ids.slice(index * MANY, (index + 1) * MANY),
    );
    const found = new Map<string, NotificationContent>();
    const entries = await Promise.all(
      groups.map((group) => this.kv.getMany(group.map((id) => keys.content(userId, id)))),
    );
    for (const { value, versionstamp } of entries.flat()) {
      if (versionstamp === null) continue;
      const parsed = notificationContent.parse(value);
      found.set(parsed.id, parsed);
    }
    return found;
  }
}
