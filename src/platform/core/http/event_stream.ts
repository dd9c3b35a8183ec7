/** Server-Sent Events (WHATWG HTML, 9.2) as a response. @module */

/**
 * Time between comments that make proxies keep an idle stream open, in milliseconds. Before each
 * comment, the reader's access is checked again.
 */
const HEARTBEAT_MS = 15_000;

/**
 * Maximum number of events that can wait for a slow reader. If there are more, the reader is
 * disconnected.
 */
const MAX_BEHIND = 1000;

export interface ServerEvent {
  readonly event: string;
  readonly id: string;
  readonly data: unknown;
}

interface EventStreamOptions {
  /** Ends the stream when it is aborted. */
  readonly closing: AbortSignal;
  /** Rejects once the reader may no longer read the events. */
  readonly recheck: () => Promise<unknown>;
  readonly heartbeatMs?: number;
}

/**
 * Responds with a stream of events. `subscribe` returns a function that cancels the subscription.
 */
export function eventStream(
  subscribe: (send: (event: ServerEvent) => void) => () => void,
  { closing, recheck, heartbeatMs = HEARTBEAT_MS }: EventStreamOptions,
): Response {
  const encoder = new TextEncoder();
  let hasEnded = false;
  let end = () => {};
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      push(": open\n\n");
      const beat = () => recheck().then(() => push(": heartbeat\n\n"), () => close());
      const heartbeat = setInterval(beat, heartbeatMs);
      const unsubscribe = subscribe(({ event, id, data }) =>
        push(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`)
      );
      const close = () => {
        if (hasEnded) return;
        end();
        controller.close();
      };
      end = () => {
        hasEnded = true;
        clearInterval(heartbeat);
        unsubscribe();
        closing.removeEventListener("abort", close);
      };
      closing.addEventListener("abort", close);
      if (closing.aborted) close();
      function push(text: string): void {
        if (hasEnded) return;
        if ((controller.desiredSize ?? 0) <= -MAX_BEHIND) {
          end();
          controller.error(new Error("The client fell too far behind"));
          return;
        }
        controller.enqueue(encoder.encode(text));
      }
    },
    cancel: () => end(),
  }, { highWaterMark: 0 });
  return new Response(stream, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    },
  });
}
