/**
 * The inbox calls that the tests need, and a reader for the live notification stream, which uses
 * the unmodified `eventsource` client.
 *
 * @module
 */
import { EventSource } from "eventsource";
import { checkEvent, fetchStream } from "./contract.ts";
import type { ApiAnswer, TestPlatform } from "./platform.ts";
import { TOKEN } from "./platform.ts";

export interface Message {
  readonly type: string;
  readonly id?: string;
  readonly title?: string;
  readonly event?: string;
  readonly total?: number;
}

const STREAM = "/v1/notifications/stream";

const TYPES = ["notification", "read", "archived", "deleted", "counts", "reset"];

function checked(message: Message): Message {
  checkEvent(STREAM, message);
  return message;
}

/** Returns messages in the order in which they arrive. */
export class Follower {
  readonly #source: EventSource;
  readonly #seen: Message[] = [];
  readonly #waiting: ((message: Message) => void)[] = [];
  /** Resolves when the server permanently rejects the request for the stream. */
  readonly refused: Promise<number | undefined>;

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.#source = new EventSource(`${url}${STREAM}`, {
      fetch: (input, init) =>
        fetchStream(String(input), { ...init, headers: { ...init.headers, ...headers } }),
    });
    for (const type of TYPES) {
      this.#source.addEventListener(type, ({ data }) => this.#take(checked(JSON.parse(data))));
    }
    this.refused = new Promise((resolve) =>
      this.#source.addEventListener("error", ({ code }) => {
        if (this.#source.readyState === this.#source.CLOSED) resolve(code);
      })
    );
  }

  /** Waits for the next message, optionally of one type. */
  async next(type?: string): Promise<Message> {
    while (true) {
      const message = this.#seen.shift() ??
        await new Promise<Message>((resolve) => this.#waiting.push(resolve));
      if (type === undefined || message.type === type) return message;
    }
  }

  close(): void {
    this.#source.close();
  }

  #take(message: Message): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#seen.push(message);
    else waiting(message);
  }
}

export const follow = (platform: TestPlatform, token = TOKEN): Follower =>
  new Follower(`http://127.0.0.1:${platform.port}`, { authorization: `Bearer ${token}` });

/** Raises an event as the owner. */
export async function trigger(
  platform: TestPlatform,
  event: string,
  data?: unknown,
): Promise<ApiAnswer> {
  const json = { event, ...(data === undefined ? {} : { data }) };
  const answer = await platform.api("POST", "/v1/events", { json });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.json));
  return answer;
}

/** Returns the titles of the notifications in a list. */
export const titlesOf = ({ json }: ApiAnswer): string[] =>
  json.items.map(({ title }: { title: string }) => title);
