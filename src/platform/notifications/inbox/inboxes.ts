/**
 * All inboxes. Changes to an inbox run in order, and are stored before anyone sees them.
 *
 * @module
 */
import type { InboxCounts, Notification } from "../../../contract/notifications.ts";
import { isUuid } from "../../../lib/ids.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { NotificationContent } from "../delivery/types.ts";
import { appendNotifications, nextBatch } from "./append_notifications.ts";
import {
  type BulkChange,
  changePage,
  type InboxFilter,
  type InboxHead,
  type InboxIndex,
  nextBehind,
  type NumberedPage,
} from "./inbox_index.ts";
import { InboxMemory } from "./inbox_memory.ts";
import { type InboxPage, PAGE_ROWS, type RowState } from "./inbox_page.ts";
import type { InboxStore } from "./inbox_store.ts";
import type { ChangedNotification, DeletedNotification, InboxView } from "./inbox_view.ts";
import { notificationToWire } from "./notification_wire.ts";
import type { Lease } from "../../../store/mod.ts";

/**
 * Maximum number of notifications, including the archive. Beyond it, the oldest pages are removed.
 */
const KEPT_NOTIFICATIONS = 100_000;
/** Allows one more page, because the last page is still being filled. */
const MAX_PAGES = Math.ceil(KEPT_NOTIFICATIONS / PAGE_ROWS) + 1;

interface InboxesOptions {
  readonly store: InboxStore;
  readonly now: Clock;
  /** Called with failures to apply a change to all pages. The next start repeats the change. */
  readonly onTrouble: (message: string) => void;
  /** Returns whether a user is in a workspace. By default, all users are. */
  isMember?(userId: string, workspaceId: string): Promise<boolean>;
  /** Maximum number of pages per inbox; by default, enough for `KEPT_NOTIFICATIONS`. */
  readonly maxPages?: number;
}

type SingleChange = (page: InboxPage, row: number, at: number) => void;

export class Inboxes {
  readonly #memory: InboxMemory;
  readonly #finishing = new Map<string, Promise<void>>();
  #closed = false;

  readonly #options: InboxesOptions;

  constructor(options: InboxesOptions) {
    this.#options = options;
    this.#memory = new InboxMemory({
      load: async (userId) => {
        const index = await options.store.load(userId);
        if (index.head.unfinished.length > 0) this.#finish(userId);
        return index;
      },
      isBusy: (userId) => this.#finishing.has(userId),
    });
  }

  /** Adds notifications, oldest first. Returns those that are new. */
  add(
    userId: string,
    contents: readonly NotificationContent[],
    lease?: Lease,
  ): Promise<NotificationContent[]> {
    const added: NotificationContent[] = [];
    return this.#memory.change(userId, async (index) => {
      const left = contents.filter(({ id }) => id > index.head.lastId);
      for (let start = 0; start < left.length;) {
        const batch = nextBatch(left.slice(start));
        await this.#append(userId, index, { added: batch, lease });
        added.push(...batch);
        start += batch.length;
        await this.#trim(userId, index, lease);
      }
      return added;
    });
  }

  async list(
    view: InboxView,
    { limit, offset, cursor, ...filter }: InboxFilter & {
      readonly limit: number;
      readonly offset: number;
      /** ID of the last notification on the previous page. */
      readonly cursor?: string | undefined;
    },
  ): Promise<{ items: Notification[]; nextCursor: string | null; total: number }> {
    const index = await this.#memory.open(view.userId);
    const places = await this.#places(index, view);
    const rows = index.select(filter, { places, offset, limit: limit + 1, before: cursor });
    const items = await this.#toWire(view.userId, rows.slice(0, limit));
    const nextCursor = rows.length > limit ? rows[limit - 1]!.id : null;
    return { items, nextCursor, total: index.total(filter, places) };
  }

  async counts(view: InboxView): Promise<InboxCounts> {
    const index = await this.#memory.open(view.userId);
    return index.counts(await this.#places(index, view));
  }

  async hasUnread(view: InboxView): Promise<boolean> {
    const index = await this.#memory.open(view.userId);
    const places = await this.#places(index, view);
    return index.total({ archived: false, unreadOnly: true }, places) > 0;
  }

  async after(view: InboxView, id: string, limit: number): Promise<Notification[] | undefined> {
    const index = await this.#memory.open(view.userId);
    const rows = index.after(id, { places: await this.#places(index, view), limit });
    return rows && await this.#toWire(view.userId, rows);
  }

  /**
   * Discards the cached inbox. If there was one, and there are only a few newer notifications,
   * returns these.
   */
  async reread(userId: string, limit: number): Promise<Notification[] | undefined> {
    const lastId = this.#memory.forget(userId)?.head.lastId ?? "";
    return isUuid(lastId)
      ? await this.after({ userId, workspaces: null }, lastId, limit)
      : undefined;
  }

  rereadAll(): void {
    this.#memory.forgetAll();
  }

  /**
   * Marks a notification as read. Returns `undefined` if the view has no notification with that ID.
   */
  read(view: InboxView, id: string): Promise<ChangedNotification | undefined> {
    return this.#changeOne(view, id, (page, row, at) => {
      if (!page.isRead(row)) page.read(row, at);
    });
  }

  /**
   * Moves a notification to the archive. Returns `undefined` if the view has no notification with
   * that ID.
   */
  archive(view: InboxView, id: string): Promise<ChangedNotification | undefined> {
    return this.#changeOne(view, id, (page, row, at) => {
      if (!page.isArchived(row)) page.archive(row, at);
    });
  }

  /**
   * Deletes a notification. Repeating this is harmless. Returns `undefined` if the view has never
   * had a notification with that ID.
   */
  delete(view: InboxView, id: string): Promise<DeletedNotification | undefined> {
    return this.#memory.change(view.userId, async (index) => {
      const spot = index.find(id, await this.#places(index, view));
      if (spot === undefined) return undefined;
      const { page: before, row } = spot;
      if (before.page.isDeleted(row)) return { workspaceId: undefined };
      const page = before.page.copy();
      page.delete(row);
      await this.#store(view.userId, index, {
        ...before,
        page,
        removedIds: [...before.removedIds, id],
      });
      return { workspaceId: index.head.places[page.placeAt(row)] || null };
    });
  }

  /**
   * Changes everything in a view's inbox or archive. Returns how many notifications were changed.
   */
  async changeAll(view: InboxView, type: BulkChange["type"]): Promise<number> {
    const { now, store } = this.#options;
    const count = await this.#memory.change(view.userId, async (index) => {
      const places = await this.#places(index, view);
      const filter = { archived: type === "delete", unreadOnly: type === "read" };
      const total = index.total(filter, places);
      if (total === 0) return 0;
      const { head } = index;
      const number = head.changes + 1;
      const change = {
        number,
        type,
        at: now(),
        places: places === null ? null : [...places],
      };
      const changed: InboxHead = {
        ...head,
        changes: number,
        unfinished: [...head.unfinished, change],
      };
      await store.commit(view.userId, index, { head: changed });
      for (const before of [...index.pages]) {
        const after = changePage(before.page, change);
        if (after === undefined) continue;
        const removedIds = [...before.removedIds, ...after.deleted];
        index.put({ number: before.number, page: after.page, removedIds, behind: true });
      }
      return total;
    });
    if (count > 0) this.#finish(view.userId);
    return count;
  }

  /**
   * Returns the ID of the newest notification that an inbox has ever had; `undefined` if it has
   * never had one.
   */
  async lastId(userId: string): Promise<string | undefined> {
    const { lastId } = (await this.#memory.open(userId)).head;
    return isUuid(lastId) ? lastId : undefined;
  }

  /**
   * Returns the numbers of a view's workspaces in an inbox; `null` for all of them. A session's
   * view omits workspaces that the user has left.
   */
  async #places(index: InboxIndex, { userId, workspaces }: InboxView) {
    const { isMember } = this.#options;
    if (workspaces !== null || isMember === undefined) return index.placesOf(workspaces);
    const known = index.head.places;
    const seen = await Promise.all(known.map((id) => id === "" || isMember(userId, id)));
    if (!seen.includes(false)) return null;
    return index.placesOf(known.filter((_, at) => seen[at]).map((id) => id || null));
  }

  /** Waits for changes in progress. Unfinished bulk changes are resumed at the next start. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#finishing.values());
    await this.#memory.idle();
  }

  async #append(
    userId: string,
    index: InboxIndex,
    { added, lease }: {
      readonly added: readonly NotificationContent[];
      readonly lease: Lease | undefined;
    },
  ): Promise<void> {
    const { head, pages } = appendNotifications(index, added);
    await this.#options.store.commit(userId, index, { head, pages, added }, lease);
    for (const each of pages) this.#settle(index, each);
  }

  /** Removes the oldest page for each new page beyond the limit. */
  async #trim(userId: string, index: InboxIndex, lease: Lease | undefined): Promise<void> {
    const { store, maxPages = MAX_PAGES } = this.#options;
    while (index.pages.length > maxPages) {
      await store.removePage(userId, index, index.pages[0]!, lease);
      index.dropOldest();
    }
  }

  #changeOne(
    view: InboxView,
    id: string,
    change: SingleChange,
  ): Promise<ChangedNotification | undefined> {
    return this.#memory.change(view.userId, async (index) => {
      const spot = index.find(id, await this.#places(index, view));
      if (spot === undefined || spot.page.page.isDeleted(spot.row)) return undefined;
      const { page: before, row } = spot;
      const page = before.page.copy();
      change(page, row, this.#options.now());
      const isNew = page.cellAt(row) !== before.page.cellAt(row);
      if (isNew) await this.#store(view.userId, index, { ...before, page });
      const [notification] = await this.#toWire(view.userId, [page.stateAt(row)]);
      return notification && { notification, isNew };
    });
  }

  async #store(userId: string, index: InboxIndex, page: NumberedPage): Promise<void> {
    await this.#options.store.commit(userId, index, { pages: [page] });
    this.#settle(index, page);
  }

  #settle(index: InboxIndex, { number, page }: NumberedPage): void {
    index.put({ number, page, removedIds: [], behind: false });
  }

  async #toWire(userId: string, rows: readonly RowState[]): Promise<Notification[]> {
    const contents = await this.#options.store.contents(userId, rows.map(({ id }) => id));
    return rows.flatMap((row) => {
      const content = contents.get(row.id);
      return content === undefined ? [] : [notificationToWire(content, row)];
    });
  }

  /** Applies bulk changes to the stored pages in the background. */
  #finish(userId: string): void {
    if (this.#closed || this.#finishing.has(userId)) return;
    const finished = this.#finishAll(userId)
      .catch((error) =>
        this.#options.onTrouble(`Cannot finish changing an inbox: ${error}. It will be retried`)
      )
      .finally(() => this.#finishing.delete(userId));
    this.#finishing.set(userId, finished);
  }

  async #finishAll(userId: string): Promise<void> {
    while (!this.#closed) {
      const done = await this.#memory.change(userId, async (index) => {
        const pages = nextBehind(index.pages);
        if (pages.length > 0) {
          await this.#options.store.commit(userId, index, { pages });
          for (const page of pages) this.#settle(index, page);
          return false;
        }
        const head = { ...index.head, unfinished: [] };
        await this.#options.store.commit(userId, index, { head });
        return true;
      });
      if (done) return;
    }
  }
}
