/** Inboxes in Deno KV. @module */
import { readAll, readRecord } from "../../core/store/mod.ts";
import { type NotificationContent, notificationContent } from "../delivery/types.ts";
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
import type { Lease, Operation, RecordKey, RecordStore } from "../../../store/mod.ts";

/** Maximum number of pages to remove in one commit. */
const MAX_REMOVED = 500;

/** Maximum number of keys per `getMany` in Deno KV. */
const MANY = 10;

interface InboxChange {
  readonly head?: InboxHead;
  /** The new pages. The contents of the notifications in their `removedIds` are removed. */
  readonly pages?: readonly NumberedPage[];
  readonly added?: readonly NotificationContent[];
}

/** Applies the bulk changes that a page missed because of a crash. */
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

/** Thrown if another node has changed the inbox, so it must be read again. */
export class InboxChangedError extends Error {
  override readonly name = "InboxChangedError";
}

export function inboxesIn(changed: readonly RecordKey[]): string[] {
  const [name] = keys.inbox("");
  return changed.filter(([first]) => first === name).map(([, userId]) => String(userId));
}

export class InboxStore {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  /** Reads an inbox without the contents of its notifications. */
  async load(userId: string): Promise<InboxIndex> {
    const stored = await readRecord(this.#kv, keys.inbox(userId), inboxHead);
    const head = stored?.value ?? EMPTY_HEAD;
    const version = stored?.versionstamp ?? null;
    const pages: NumberedPage[] = [];
    for await (const { key, value } of readAll(this.#kv, keys.pages(userId), storedPage)) {
      const { applied, ...packed } = value;
      const stored = { number: Number(key.at(-1)), page: new InboxPage(packed), applied };
      pages.push(caughtUp(stored, head));
    }
    const isDead = ({ page, behind }: NumberedPage) => page.isDead && !behind;
    await this.#removePages(userId, version, pages.filter(isDead));
    return new InboxIndex(head, pages.filter((page) => !isDead(page)), version);
  }

  /**
   * Removes pages whose notifications are all deleted, unless the inbox changes in the meantime.
   * This is triggered by reading an inbox, so it does not take a lease.
   */
  async #removePages(
    userId: string,
    versionstamp: string | null,
    pages: readonly NumberedPage[],
  ): Promise<void> {
    for (let start = 0; start < pages.length; start += MAX_REMOVED) {
      const operation = this.#kv.atomic().check({ key: keys.inbox(userId), versionstamp });
      for (const { number } of pages.slice(start, start + MAX_REMOVED)) {
        operation.delete(keys.page(userId, number));
      }
      await operation.commit();
    }
  }

  async removePage(
    userId: string,
    index: InboxIndex,
    { number, page }: NumberedPage,
    lease?: Lease,
  ): Promise<void> {
    const operation = this.#begin(userId, index, index.head).delete(keys.page(userId, number));
    for (let row = 0; row < page.count; row++) {
      operation.delete(keys.content(userId, page.stateAt(row).id));
    }
    await this.#finish(operation, index, { head: index.head, lease });
  }

  /** @throws {InboxChangedError} if another node has changed the inbox. */
  async commit(
    userId: string,
    index: InboxIndex,
    { head = index.head, pages = [], added = [] }: InboxChange,
    lease?: Lease,
  ): Promise<void> {
    const operation = this.#begin(userId, index, head);
    for (const { number, page, removedIds } of pages) {
      operation.set(keys.page(userId, number), { applied: head.changes, ...page.packed() });
      for (const id of removedIds) operation.delete(keys.content(userId, id));
    }
    for (const each of added) operation.set(keys.content(userId, each.id), each);
    await this.#finish(operation, index, { head, lease });
  }

  /** Begins a commit. Every change updates the head, so checking only the head is enough. */
  #begin(userId: string, { version }: InboxIndex, head: InboxHead): Operation {
    const key = keys.inbox(userId);
    return this.#kv.atomic().check({ key, versionstamp: version }).set(key, head);
  }

  async #finish(
    operation: Operation,
    index: InboxIndex,
    { head, lease }: { readonly head: InboxHead; readonly lease: Lease | undefined },
  ): Promise<void> {
    const committed = await operation.commit(lease);
    if (!committed.ok) throw new InboxChangedError("Another node has changed the inbox");
    index.head = head;
    index.version = committed.versionstamp;
  }

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
      groups.map((group) => this.#kv.getMany(group.map((id) => keys.content(userId, id)))),
    );
    for (const { value, versionstamp } of entries.flat()) {
      if (versionstamp === null) continue;
      const parsed = notificationContent.parse(value);
      found.set(parsed.id, parsed);
    }
    return found;
  }
}
