/** All live streams. Clients with the same view share encoded messages and one timer. @module */
import type {
  InboxCounts,
  Notification,
  NotificationMessage,
} from "../../../contract/notifications.ts";
import { CoalescedWork } from "../../../lib/coalesced_work.ts";
import { isUuid } from "../../../lib/ids.ts";
import type { InboxView } from "../inbox/inbox_view.ts";
import { encodeMessages, HEARTBEAT } from "./live_message.ts";
import { LiveStream } from "./live_stream.ts";

const HEARTBEAT_MS = 20_000;

/** Number of groups into which the streams are split. The groups get their heartbeats in turn. */
const SHARES = 20;

/** Maximum number of notifications to replay to a client that reconnects. */
export const MAX_REPLAYED = 200;

/** An ID that precedes the ID of every notification. */
const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";

interface LiveStreamsOptions {
  counts(view: InboxView): Promise<InboxCounts>;
  /**
   * Returns the ID of an inbox's newest notification; `undefined` if the inbox has never had one.
   */
  lastId(userId: string): Promise<string | undefined>;
  /**
   * Returns the notifications after an ID, oldest first; `undefined` if there are more than
   * `limit`.
   */
  after(view: InboxView, id: string, limit: number): Promise<Notification[] | undefined>;
  /** Called when serving a stream fails. The stream then ends. */
  readonly onTrouble: (message: string) => void;
}

interface Reader {
  readonly stream: LiveStream;
  /** Hash of the credential that opened the stream. */
  readonly credential: string;
  readonly share: number;
  /** Returns whether the credential that opened the stream is still valid for it. */
  isAllowed(): Promise<boolean>;
}

interface Group {
  readonly view: InboxView;
  readonly readers: Set<Reader>;
}

export interface Published {
  readonly message: NotificationMessage;
  readonly workspaceId: string | null;
}

const groupKey = ({ workspaces }: InboxView): string => workspaces?.join() ?? "*";

function sees({ workspaces }: InboxView, workspaceId: string | null): boolean {
  return workspaces === null || workspaces.includes(workspaceId);
}

export class LiveStreams {
  readonly #inboxes = new Map<string, Map<string, Group>>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #opened = 0;
  readonly #checks = new CoalescedWork(async () => {
    for (const reader of this.#readers()) await this.#endWhereOver(reader);
  });
  #share = 0;
  #size = 0;

  readonly #options: LiveStreamsOptions;

  constructor(options: LiveStreamsOptions) {
    this.#options = options;
  }

  /** Opens a stream. `lastId` is the newest notification that the client knows. */
  open(
    view: InboxView,
    reader: {
      readonly lastId: string | null;
      readonly credential: string;
      isAllowed(): Promise<boolean>;
    },
  ): ReadableStream<Uint8Array> {
    const groups = this.#inboxes.get(view.userId) ?? new Map<string, Group>();
    const key = groupKey(view);
    const group = groups.get(key) ?? { view, readers: new Set() };
    const entry: Reader = {
      stream: new LiveStream(() => this.#leave(view.userId, key, entry)),
      share: this.#opened++ % SHARES,
      credential: reader.credential,
      isAllowed: reader.isAllowed,
    };
    this.#inboxes.set(view.userId, groups.set(key, group));
    group.readers.add(entry);
    this.#size++;
    this.#timer ??= setInterval(() => this.beat(), HEARTBEAT_MS / SHARES);
    this.#begin(view, entry.stream, reader.lastId).catch((error) => {
      this.#options.onTrouble(`Cannot start a live stream: ${error}`);
      entry.stream.close();
    });
    return entry.stream.body;
  }

  /** Sends messages, and then the counts, to all clients whose view includes the messages. */
  async publish(userId: string, messages: readonly Published[]): Promise<void> {
    for (const group of this.#groupsOf(userId)) {
      const seen = messages.filter(({ workspaceId }) => sees(group.view, workspaceId));
      if (seen.length === 0) continue;
      const counts = { type: "counts" as const, ...await this.#options.counts(group.view) };
      send(group, [...seen.map(({ message }) => message), counts]);
    }
  }

  /**
   * Announces a change to a whole view. Clients with a different view must list the inbox again.
   */
  async publishAll(view: InboxView, type: "read" | "archived" | "deleted"): Promise<void> {
    for (const group of this.#groupsOf(view.userId)) {
      const same = groupKey(group.view) === groupKey(view);
      const counts = { type: "counts" as const, ...await this.#options.counts(group.view) };
      send(group, [same ? { type, id: null } : { type: "reset" }, counts]);
    }
  }

  /** Returns whether someone is reading an inbox's stream on this node. */
  isRead(userId: string): boolean {
    return this.#inboxes.has(userId);
  }

  /** Makes an inbox's clients list the inbox again. */
  async reset(userId: string): Promise<void> {
    for (const group of this.#groupsOf(userId)) {
      const counts = { type: "counts" as const, ...await this.#options.counts(group.view) };
      send(group, [{ type: "reset" }, counts]);
    }
  }

  get count(): number {
    return this.#size;
  }

  close(): void {
    for (const userId of [...this.#inboxes.keys()]) {
      for (const { readers } of this.#groupsOf(userId)) {
        for (const { stream } of [...readers]) stream.close();
      }
    }
  }

  /**
   * Ends the streams of a credential (by hash), or of all credentials that have expired or were
   * revoked.
   */
  async check(credential?: string): Promise<void> {
    if (credential === undefined) return await this.#checks.request();
    const readers = this.#readers().filter((reader) => reader.credential === credential);
    await Promise.all(readers.map((reader) => this.#endWhereOver(reader)));
  }

  /**
   * Sends a heartbeat to one group of streams. Ends the streams whose credential is no longer
   * valid.
   */
  beat(): void {
    this.#share = (this.#share + 1) % SHARES;
    for (const reader of this.#readers()) {
      if (reader.share === this.#share) void this.#keep(reader);
    }
  }

  async #keep(reader: Reader): Promise<void> {
    if (await this.#endWhereOver(reader)) reader.stream.beat(HEARTBEAT);
  }

  /** Returns whether a stream continues. Ends the stream if its credential is no longer valid. */
  async #endWhereOver({ stream, isAllowed }: Reader): Promise<boolean> {
    try {
      if (await isAllowed()) return true;
    } catch (error) {
      this.#options.onTrouble(`Cannot check whether a live stream can continue: ${error}`);
    }
    stream.close();
    return false;
  }

  #readers(): Reader[] {
    return [...this.#inboxes.values()].flatMap((groups) =>
      [...groups.values()].flatMap(({ readers }) => [...readers])
    );
  }

  async #begin(view: InboxView, stream: LiveStream, lastId: string | null): Promise<void> {
    // The newest ID is read first, so notifications that arrive later are sent below, or again
    // after a reconnect.
    const newest = await this.#options.lastId(view.userId) ?? BEFORE_ALL;
    const missed = lastId === null ? [] : await this.#missed(view, lastId);
    const counts = { type: "counts" as const, ...await this.#options.counts(view) };
    const messages: NotificationMessage[] = missed === undefined
      ? [{ type: "reset" }]
      : missed.map((notification) => ({ type: "notification", ...notification }));
    messages.push(counts);
    const last = missed?.at(-1)?.id ?? newest;
    const resumeId = last > newest ? last : newest;
    stream.catchUp(encodeMessages(messages, resumeId).joined, new Set(missed?.map(({ id }) => id)));
  }

  /**
   * Returns the notifications after an ID; `undefined` if they cannot be read, or if there are too
   * many.
   */
  async #missed(view: InboxView, lastId: string): Promise<Notification[] | undefined> {
    return isUuid(lastId) ? await this.#options.after(view, lastId, MAX_REPLAYED) : undefined;
  }

  #groupsOf(userId: string): Group[] {
    return [...this.#inboxes.get(userId)?.values() ?? []];
  }

  #leave(userId: string, key: string, reader: Reader): void {
    const groups = this.#inboxes.get(userId);
    const group = groups?.get(key);
    if (groups === undefined || group === undefined || !group.readers.delete(reader)) return;
    if (group.readers.size === 0) groups.delete(key);
    if (groups.size === 0) this.#inboxes.delete(userId);
    if (--this.#size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function send({ readers }: Group, messages: readonly NotificationMessage[]): void {
  const encoded = encodeMessages(messages);
  for (const { stream } of [...readers]) stream.send(encoded);
}
