/** The inbox, as its owner uses it. Every change is published to the open streams. @module */
import type { Notification } from "../../contract/notifications.ts";
import { Failure } from "../core/http/mod.ts";
import type { Inboxes } from "./inbox/inboxes.ts";
import type { ChangedNotification, InboxView } from "./inbox/inbox_view.ts";
import type { LiveStreams } from "./live/live_streams.ts";

const unknown = (id: string) => new Failure("not_found", `Notification ${id} does not exist`);

export class NotificationService {
  readonly inboxes: Inboxes;
  readonly #live: LiveStreams;

  constructor(inboxes: Inboxes, live: LiveStreams) {
    this.inboxes = inboxes;
    this.#live = live;
  }

  /** @throws {Failure} `not_found` for a notification that is not in the view. */
  async read(view: InboxView, id: string): Promise<Notification> {
    return await this.#changed(view, { type: "read", id }, await this.inboxes.read(view, id));
  }

  /** @throws {Failure} `not_found` for a notification that is not in the view. */
  async archive(view: InboxView, id: string): Promise<Notification> {
    return await this.#changed(
      view,
      { type: "archived", id },
      await this.inboxes.archive(view, id),
    );
  }

  /** @throws {Failure} `not_found` for a notification that was never in the view. */
  async delete(view: InboxView, id: string): Promise<void> {
    const deleted = await this.inboxes.delete(view, id);
    if (deleted === undefined) throw unknown(id);
    if (deleted.workspaceId === undefined) return;
    const { workspaceId } = deleted;
    await this.#live.publish(view.userId, [{ message: { type: "deleted", id }, workspaceId }]);
  }

  /** Marks the whole inbox as read. Returns how many notifications were changed. */
  readAll(view: InboxView): Promise<number> {
    return this.#changeAll(view, "read", "read");
  }

  archiveAll(view: InboxView): Promise<number> {
    return this.#changeAll(view, "archive", "archived");
  }

  deleteArchived(view: InboxView): Promise<number> {
    return this.#changeAll(view, "delete", "deleted");
  }

  async #changeAll(
    view: InboxView,
    type: "read" | "archive" | "delete",
    messageType: "read" | "archived" | "deleted",
  ): Promise<number> {
    const count = await this.inboxes.changeAll(view, type);
    if (count > 0) await this.#live.publishAll(view, messageType);
    return count;
  }

  async #changed(
    view: InboxView,
    message: { readonly type: "read" | "archived"; readonly id: string },
    changed: ChangedNotification | undefined,
  ): Promise<Notification> {
    if (changed === undefined) throw unknown(message.id);
    const { notification, isNew } = changed;
    const { workspaceId } = notification;
    if (isNew) await this.#live.publish(view.userId, [{ message, workspaceId }]);
    return notification;
  }
}
