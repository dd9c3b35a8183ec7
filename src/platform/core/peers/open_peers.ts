/** Requests and responses between nodes, over HTTP. @module */
import type * as z from "zod";
import type { Clock, Random } from "../../../lib/clock.ts";
import { messageOf } from "../../../lib/error_message.ts";
import type { OutboundFetch } from "../../../runtime/mod.ts";
import type { Nodes } from "../nodes/mod.ts";
import type { SecretBox } from "../secrets/mod.ts";
import { AnswerSealer, openAnswer, openQuestion, sealedQuestion, sealQuestion } from "./channel.ts";
import { PeerError } from "./peer_error.ts";
import { type GiveAnswer, type Peer, PEER_PATH, type PeerQuestion, type Peers } from "./peers.ts";

/** How often an `alive` part is sent for a pending response, in milliseconds. */
const ALIVE_MS = 3000;
const MAX_QUESTION = 128 * 1024;
/** Maximum length of the reason to read from a refusal, in characters. */
const MAX_REFUSAL = 1024;

export interface PeersOptions {
  readonly nodes: Nodes;
  readonly box: Pick<SecretBox, "deriveKey">;
  /** Can reach private addresses, and gives up on a node that sends nothing for 10 seconds. */
  readonly fetch: OutboundFetch;
  readonly now: Clock;
  readonly random: Random;
  readonly closing: AbortSignal;
  onTrouble(message: string): void;
}

export interface OpenPeers extends Peers {
  /** Handles a request to `PEER_PATH`. */
  handle(request: Request): Promise<Response>;
}

interface Answerer {
  readonly schema: z.ZodType;
  readonly give: GiveAnswer<unknown>;
}

/** A part of a response. `alive` means that more parts will follow later. */
type Part =
  | { readonly type: "value"; readonly value: unknown }
  | { readonly type: "alive" | "end" | "failed" };

const refusal = (status: number, reason: string): Response =>
  new Response(reason, { status, headers: { "content-type": "text/plain; charset=utf-8" } });

async function readQuestion(request: Request): Promise<unknown> {
  let text = "";
  for await (const part of request.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    if (text.length > MAX_QUESTION) throw new PeerError("refused a request that is too long");
  }
  return JSON.parse(text);
}

/**
 * Streams the values as sealed parts. Reads one value ahead, and sends `alive` during long pauses.
 */
function answerStream(
  values: AsyncIterable<unknown>,
  { sealer, abort, onFault }: {
    readonly sealer: AnswerSealer;
    readonly abort: AbortController;
    onFault(error: unknown): void;
  },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = values[Symbol.asyncIterator]();
  let pending: Promise<IteratorResult<unknown>> | undefined;
  const next = async (): Promise<Part> => {
    pending ??= iterator.next();
    const { promise: alive, resolve } = Promise.withResolvers<"alive">();
    const timer = setTimeout(() => resolve("alive"), ALIVE_MS);
    try {
      const found = await Promise.race([pending, alive]);
      if (found === "alive") return { type: "alive" };
      pending = undefined;
      return found.done ? { type: "end" } : { type: "value", value: found.value };
    } catch (error) {
      if (!abort.signal.aborted) onFault(error);
      return { type: "failed" };
    } finally {
      clearTimeout(timer);
    }
  };
  return new ReadableStream({
    start: (controller) => controller.enqueue(sealer.salt),
    async pull(controller) {
      const part = await next();
      controller.enqueue(await sealer.seal(part));
      if (part.type === "end" || part.type === "failed") controller.close();
    },
    cancel() {
      abort.abort();
      void iterator.return?.().catch(() => {});
    },
  });
}

async function reasonOf(status: number, body: AsyncIterable<Uint8Array> | null): Promise<string> {
  if (status === 404) {
    return "does not support this request: it runs a different version, or is not svc";
  }
  let text = "";
  for await (const part of body ?? []) {
    text += new TextDecoder().decode(part);
    if (text.length > MAX_REFUSAL) break;
  }
  return status === 403 && text !== "" ? text : `responded with status ${status}`;
}

export function openPeers(options: PeersOptions): OpenPeers {
  const { nodes, box, fetch, now, random, closing, onTrouble } = options;
  const answerers = new Map<string, Answerer>();

  async function open(peer: Peer, { name, data, signal }: PeerQuestion) {
    if (peer.url === undefined) throw new PeerError("runs an incompatible version");
    const question = { to: peer.instance, time: now(), name, data };
    const { sealed, salt } = await sealQuestion(question, { box, random });
    const body = new TextEncoder().encode(JSON.stringify(sealed));
    const answer = await fetch({
      method: "POST",
      url: `${peer.url}${PEER_PATH}`,
      headers: [["content-type", "application/json"], [
        "content-length",
        String(body.byteLength),
      ]],
      body: ReadableStream.from([body]),
      signal,
    });
    const { status } = answer;
    const bytes = answer.bytes === undefined ? answer.body : ReadableStream.from([answer.bytes]);
    if (status !== 200) throw new PeerError(await reasonOf(status, bytes));
    return { bytes, keyId: sealed.keyId, question: salt };
  }

  async function* ask(peer: Peer, question: PeerQuestion): AsyncGenerator<unknown> {
    let isWhole = false;
    try {
      const { bytes, ...opened } = await open(peer, question);
      for await (const part of openAnswer(bytes ?? ReadableStream.from([]), { ...opened, box })) {
        const { type, value } = part as { type: Part["type"]; value?: unknown };
        if (type === "value") yield value;
        if (type === "failed") throw new PeerError("failed to respond. See its log for the reason");
        if (type === "end") isWhole = true;
      }
    } catch (error) {
      if (error instanceof PeerError) throw error;
      throw new PeerError(`does not respond: ${messageOf(error)}`, { cause: error });
    }
    if (!isWhole) throw new PeerError("sent an incomplete response");
  }

  async function handle(request: Request): Promise<Response> {
    if (request.method !== "POST") return refusal(405, "Use POST");
    let parsed: ReturnType<typeof sealedQuestion.safeParse>;
    try {
      parsed = sealedQuestion.safeParse(await readQuestion(request));
    } catch {
      return refusal(400, "This is not a request from a node");
    }
    if (!parsed.success) return refusal(400, "This is not a request from a node");
    try {
      const { instance } = nodes;
      const { question, salt } = await openQuestion(parsed.data, { box, instance, now: now() });
      const answerer = answerers.get(question.name);
      const data = answerer?.schema.safeParse(question.data);
      if (answerer === undefined || !data?.success) return refusal(404, "Unknown request");
      const sealer = await AnswerSealer.make(
        { keyId: parsed.data.keyId, question: salt },
        { box, random },
      );
      const abort = new AbortController();
      const values = answerer.give(data.data, AbortSignal.any([abort.signal, closing]));
      const onFault = (error: unknown) =>
        onTrouble(`Cannot respond to another node's "${question.name}": ${messageOf(error)}`);
      return new Response(answerStream(values, { sealer, abort, onFault }), {
        headers: { "content-type": "application/octet-stream", "cache-control": "no-store" },
      });
    } catch (error) {
      if (error instanceof PeerError) return refusal(403, error.message);
      throw error;
    }
  }

  return {
    answer(name, schema, give) {
      answerers.set(name, { schema, give: (data, signal) => give(schema.parse(data), signal) });
    },
    async list() {
      return (await nodes.list()).filter(({ instance }) => instance !== nodes.instance);
    },
    async lost() {
      return (await nodes.lost()).map(({ id, lastHeard }) => ({
        node: id,
        reason: `is down: last seen ${new Date(lastHeard).toISOString()}`,
      }));
    },
    ask,
    handle,
  };
}
