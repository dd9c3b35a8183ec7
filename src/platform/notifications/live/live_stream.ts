/** One client of the live stream, with a queue of messages that it has not read yet. @module */
import { type EncodedMessages, type EncodedPart, OPENING } from "./live_message.ts";

/** How many messages can wait for a slow client. If there are more, the client is disconnected. */
const MAX_BEHIND = 256;

export class LiveStream {
  readonly body: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Messages that arrived while the stream was still replaying missed messages. */
  #held: EncodedPart[] | undefined = [];

  readonly #onEnd: () => void;

  /** `onEnd` is called once, regardless of how the stream ends. */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
        controller.enqueue(OPENING);
      },
      cancel: () => {
        this.#controller = undefined;
        onEnd();
      },
    }, { highWaterMark: 0 });
  }

  send({ parts, joined }: EncodedMessages): void {
    if (this.#held === undefined) this.#push(joined);
    else if (this.#held.length < MAX_BEHIND) this.#held.push(...parts);
    else this.#cut();
  }

  /** Sends the missed messages, and then the messages that arrived in the meantime. */
  catchUp(missed: Uint8Array, seen: ReadonlySet<string>): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#controller?.enqueue(missed);
    for (const { id, bytes } of held) {
      if (id === undefined || !seen.has(id)) this.#controller?.enqueue(bytes);
    }
  }

  /**
   * Sends a message immediately, ahead of the held messages. Skips the message if many are already
   * unread.
   */
  beat(bytes: Uint8Array): void {
    if ((this.#controller?.desiredSize ?? 0) >= 0) this.#controller?.enqueue(bytes);
  }

  close(): void {
    const controller = this.#controller;
    this.#controller = undefined;
    if (controller === undefined) return;
    controller.close();
    this.#onEnd();
  }

  #push(bytes: Uint8Array): void {
    if ((this.#controller?.desiredSize ?? 0) <= -MAX_BEHIND) this.#cut();
    else this.#controller?.enqueue(bytes);
  }

  #cut(): void {
    const controller = this.#controller;
    this.#controller = undefined;
    if (controller === undefined) return;
    controller.error(new Error("Reader fell too far behind"));
    this.#onEnd();
  }
}
