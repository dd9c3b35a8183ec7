/** Follows the platform's feed and starts over with a snapshot after any gap. @module */
import { setTimeout as delay } from "node:timers/promises";
import { type FeedMessage, Subscriber } from "../../feed/mod.ts";
import { messageOf } from "../../lib/error_message.ts";
import { readUntilAborted } from "../../lib/read_until_aborted.ts";
import { ALIVE_MS, type FeedLine, feedLine } from "../../platform/edges/mod.ts";
import { EdgeKeyError, type PlatformClient } from "./platform_client.ts";

/** Time without data after which the connection to the platform counts as lost, in milliseconds. */
const SILENCE_MS = 5 * ALIVE_MS;
/** Pauses between attempts to connect, in milliseconds. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;
/** Maximum length of a line, in characters. */
const MAX_LINE = 64 * 1024 * 1024;

export type Hello = Extract<FeedLine, { type: "hello" }>;
type Alive = Extract<FeedLine, { type: "alive" }>;

export interface FeedFollowerOptions {
  readonly client: Pick<PlatformClient, "send">;
  readonly version: string;
  /** The edge's public addresses and country, for the platform's DNS. */
  readonly place?:
    | { readonly addresses: readonly string[]; readonly country: string | undefined }
    | undefined;
  readonly signal: AbortSignal;
  apply(message: FeedMessage): void | Promise<void>;
  replace(messages: readonly FeedMessage[]): void | Promise<void>;
  onHello(hello: Hello): void;
  /** Called on each heartbeat from the platform. */
  onAlive(line: Alive): void;
  /** Called when the edge becomes up to date, and when it no longer is. */
  onState(state: "current" | "lost"): void;
  /** Called if the platform does not accept the key. */
  onRefused(error: EdgeKeyError): void;
  onTrouble(message: string): void;
}

/** Yields the lines of a body until `over` is aborted. Fails if a line is too long. */
async function* linesOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { over, onPart }: { readonly over: AbortSignal; onPart(): void },
): AsyncGenerator<string> {
  let rest: string[] = [];
  let length = 0;
  const text = body.pipeThrough(new TextDecoderStream());
  for await (const part of readUntilAborted(text, over)) {
    onPart();
    const [first = "", ...others] = part.split("\n");
    for (let piece: string | undefined = first;;) {
      length += piece.length;
      if (length > MAX_LINE) throw new TypeError("The platform sent a line that is too long");
      rest.push(piece);
      piece = others.shift();
      if (piece === undefined) break;
      yield rest.join("");
      [rest, length] = [[], 0];
    }
  }
}

function paramsOf({ version, place }: FeedFollowerOptions): URLSearchParams {
  const params = new URLSearchParams({ version });
  for (const address of place?.addresses ?? []) params.append("address", address);
  if (place?.country !== undefined) params.append("country", place.country);
  return params;
}

/** Follows the feed once. Returns when the connection closes. */
async function followOnce(options: FeedFollowerOptions): Promise<void> {
  const { client, signal, onTrouble } = options;
  const cut = new AbortController();
  const watch = () =>
    setTimeout(() => cut.abort(new Error("nothing has arrived for too long")), SILENCE_MS);
  let timer = watch();
  const reset = () => {
    clearTimeout(timer);
    timer = watch();
  };
  const over = AbortSignal.any([signal, cut.signal]);
  let session = "";
  const subscriber = new Subscriber({
    apply: (message) => over.aborted ? undefined : options.apply(message),
    replace: (messages) => over.aborted ? undefined : options.replace(messages),
    applied(place) {
      if (over.aborted) return;
      options.onState("current");
      client.send("applied", { body: { session, place }, signal: over })
        .catch((error) => cut.abort(error));
    },
    onGap: () => cut.abort(new Error("a change is missing")),
    onError: (error) => {
      // A change could not be applied, so the edge is outdated. Everything is read again.
      onTrouble(`Cannot apply a change: ${messageOf(error)}`);
      cut.abort(error);
    },
  });
  try {
    const response = await client.send(`feed?${paramsOf(options)}`, { signal: over });
    const body = response?.body ?? null;
    if (body === null) throw new Error("it does not have a feed");
    for await (const text of linesOf(body, { over, onPart: reset })) {
      const line = feedLine.parse(JSON.parse(text));
      if (line.type === "hello") {
        session = line.session;
        options.onHello(line);
      }
      if (line.type === "alive") options.onAlive(line);
      if (line.type === "snapshot") subscriber.reset(line);
      if (line.type === "change") subscriber.receive(line);
    }
  } finally {
    clearTimeout(timer);
    cut.abort();
    // Changes from this connection must not be applied after the next snapshot.
    await subscriber.settled();
  }
}

/** Follows the feed until the signal is aborted. */
export async function followFeed(options: FeedFollowerOptions): Promise<void> {
  const { signal, onState, onTrouble } = options;
  let pauseMs = FIRST_PAUSE_MS;
  let isLost = false;
  while (!signal.aborted) {
    const began = performance.now();
    const reason = await followOnce({
      ...options,
      onState(state) {
        isLost = false;
        onState(state);
      },
    }).then(() => "the connection was closed", (error) => {
      if (error instanceof EdgeKeyError) options.onRefused(error);
      return messageOf(error);
    });
    if (signal.aborted) return;
    onState("lost");
    if (!isLost) onTrouble(`Lost the connection to the platform: ${reason}`);
    isLost = true;
    if (performance.now() - began > SILENCE_MS) pauseMs = FIRST_PAUSE_MS;
    await delay(pauseMs, undefined, { signal }).catch(() => {});
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
  }
}
