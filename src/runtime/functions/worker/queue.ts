/** @module A function's `context.queue`: sends messages to queues (docs/queues.md). */
import { errorOf, type FetchKv, writeValue } from "./kv.ts";

interface SendOptions {
  /** Number of seconds until the first delivery. */
  readonly delay?: number;
  readonly at?: Date | string;
  readonly key?: string;
  readonly id?: string;
}

/** Creates `context.queue`, which all calls of a worker share. */
export function createFunctionQueue(fetch: FetchKv): object {
  return Object.freeze({
    async send(
      name: string,
      value: unknown,
      { delay, at, key, id }: SendOptions = {},
    ): Promise<{ readonly id: string; readonly isDuplicate: boolean }> {
      const url = new URL(`http://kv/v1/queues/${encodeURIComponent(name)}/messages`);
      const time = at instanceof Date ? at.toISOString() : at;
      for (const [option, given] of Object.entries({ delay, at: time, key, id })) {
        if (given !== undefined) url.searchParams.set(option, String(given));
      }
      const { body, type } = writeValue(value);
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": type },
        body,
      });
      if (!response.ok) throw await errorOf(response, "context.queue");
      return await response.json();
    },
  });
}
