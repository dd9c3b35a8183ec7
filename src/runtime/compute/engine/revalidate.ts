/** @module `globalThis.svc`, which a server uses to revalidate its deployment's cached pages. */
import type { Revalidated } from "../wire.ts";
import { checkRevalidation, type Revalidation } from "./revalidation.ts";

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Passes the platform's response to the call that waits for it. */
export type TakeAnswer = (id: number, answer: Revalidated) => void;

/** Sends a request to the platform. */
export type Ask = (id: number, what: Revalidation) => void;

/** Defines `globalThis.svc.revalidate()`. */
export function defineRevalidate(ask: Ask): TakeAnswer {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  const revalidate = (asked: unknown): Promise<void> => {
    const what = checkRevalidation(asked);
    if ("problem" in what) {
      return Promise.reject(new TypeError(`Cannot revalidate: ${what.problem}`));
    }
    return new Promise((resolve, reject) => {
      const id = lastId = lastId % 0xffff_ffff + 1;
      waiting.set(id, { resolve, reject });
      ask(id, what);
    });
  };
  Object.defineProperty(globalThis, "svc", {
    value: Object.freeze({ revalidate }),
    configurable: true,
    writable: true,
  });
  return (id, { problem }) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (problem === undefined) call?.resolve();
    else call?.reject(new Error(`Cannot revalidate: ${problem}`));
  };
}
