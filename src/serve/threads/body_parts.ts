/**
 * A body that comes from another thread in parts, each sent when it is wanted.
 *
 * @module
 */
import { alone } from "./batch_port.ts";
import type { BodyPart } from "./wire.ts";

export class BodyParts {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  #controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  #arrived = Promise.withResolvers<void>();
  #isOver = false;

  constructor({ more, enough }: {
    /** Asks for the next part. */
    more(): void;
    /** Called where the reader wants no more. */
    enough(): void;
  }) {
    this.stream = new ReadableStream({
      start: (controller) => void (this.#controller = controller),
      pull: () => {
        more();
        return this.#arrived.promise;
      },
      cancel: () => {
        this.#isOver = true;
        enough();
      },
    }, { highWaterMark: 0 });
  }

  /** Takes the part that was asked for. */
  take(part: BodyPart): void {
    if (this.#isOver) return;
    if (part === null) {
      this.#isOver = true;
      this.#controller.close();
    } else this.#controller.enqueue(part);
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers();
  }

  /** Ends the body with an error. */
  break(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller.error(error);
    this.#arrived.resolve();
  }
}

/** How often other work gets its turn before a body counts as one that takes time. */
const TURNS = 8;

/** Sends a body to another thread, a part whenever one is wanted. */
export class BodySource {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  /** Reads that were begun before anyone wanted a part. */
  readonly #begun: Promise<ReadableStreamReadResult<Uint8Array>>[] = [];

  constructor(
    stream: ReadableStream<Uint8Array>,
    private readonly take: { part(part: BodyPart): void; broken(error: unknown): void },
  ) {
    this.#reader = stream.getReader();
  }

  /**
   * The whole body, where it is one part that is there already, as that of JSON is;
   * else nothing is lost, and `next()` passes it on.
   */
  async whole(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const first = this.#reader.read();
    this.#begun.push(first);
    const part = await soon(first);
    if (part === undefined || part.done) return undefined;
    const second = this.#reader.read();
    this.#begun.push(second);
    const end = await soon(second);
    return end?.done ? alone(part.value) : undefined;
  }

  /** Reads the next part and passes it on. */
  async next(): Promise<void> {
    try {
      const { done, value } = await (this.#begun.shift() ?? this.#reader.read());
      this.take.part(done ? null : alone(value));
    } catch (error) {
      this.take.broken(error);
    }
  }

  /** Lets the body go. */
  cancel(): void {
    void this.#reader.cancel().catch(() => {});
  }
}

/** What a read returns, if it is there within a few turns; a failure is left to who waits for it. */
async function soon<Result>(read: Promise<Result>): Promise<Result | undefined> {
  let result: Result | undefined;
  read.then((found) => result = found, () => {});
  for (let turn = 0; turn < TURNS && result === undefined; turn++) await Promise.resolve();
  return result;
}
