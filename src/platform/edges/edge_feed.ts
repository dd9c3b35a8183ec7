/**
 * One front edge's feed, as lines of JSON.
 *
 * @module
 */
import type { FeedMessage, Publisher, Subscribed } from "../../feed/mod.ts";
import type { Clock } from "../../lib/clock.ts";
import { ALIVE_MS, type FeedLine } from "./wire.ts";

/**
 * Maximum number of lines that can wait for an edge. An edge that reads more slowly starts again
 * with a snapshot.
 */
const MAX_WAITING = 1000;

export interface OpenFeed {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Number of changes that the edge has not applied yet. */
  readonly behind: number;
  /** Records that the edge has applied every change up to a position. */
  applied(place: number): void;
}

/**
 * Sends the feed until the signal is aborted or the edge falls behind. The edge must apply each
 * change within the publisher's time limit, or it has to reconnect.
 */
export function openFeed(
  feed: Publisher,
  { hello, isApi, isDrained, now, signal, onEnd }: {
    readonly hello: Extract<FeedLine, { type: "hello" }>;
    /** Returns whether the API handles a hostname, regardless of its site. */
    isApi(hostname: string): boolean;
    /** Returns whether the edge's clients should use other edges. */
    isDrained(): boolean;
    readonly now: Clock;
    readonly signal: AbortSignal;
    onEnd(): void;
  },
): OpenFeed {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  let entry: Subscribed;
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    signal.removeEventListener("abort", close);
    entry.end();
    onEnd();
  };
  const seen = (message: FeedMessage): FeedMessage =>
    message.type === "host_pointed" && isApi(message.hostname)
      ? { type: "host_removed", hostname: message.hostname }
      : message;
  const close = () => {
    if (isOver) return;
    end();
    controller.close();
  };
  const send = (line: FeedLine) => {
    if (isOver) return;
    controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
    if (controller.desiredSize! <= 0) close();
  };
  const timer = setInterval(
    () => send({ type: "alive", time: now(), isDrained: isDrained() }),
    ALIVE_MS,
  );
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(given) {
      controller = given;
      const subscribed = feed.subscribe({
        send: ({ place, message }) => send({ type: "change", place, message: seen(message) }),
        onLate: close,
      });
      entry = subscribed.entry;
      send(hello);
      const { place, messages } = subscribed.snapshot;
      send({ type: "snapshot", place, messages: messages.map(seen) });
    },
    cancel: end,
  }, { highWaterMark: MAX_WAITING });
  if (signal.aborted) close();
  else signal.addEventListener("abort", close);
  return {
    body,
    get behind() {
      return entry.behind;
    },
    applied: (place) => entry.applied(place),
  };
}
