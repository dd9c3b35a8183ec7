/**
 * The requests that one edge thread has handed over, answered by the platform.
 *
 * @module
 */
import type { CachedCopy, EdgeConnection, HandedOver } from "../../edge/mod.ts";
import { isOfOthers } from "../../platform/core/http/mod.ts";
import type { ClientConnection } from "../../platform/core/listener/mod.ts";
import { messageOf } from "../../lib/error_message.ts";
import type { OutboundRequest, OutboundResponse } from "../../runtime/mod.ts";
import { isWhole, markWhole } from "../../lib/whole_answer.ts";
import { BodyParts, BodySource } from "./body_parts.ts";
import { ForwardedRequest } from "./forwarded_request.ts";
import { ForwardedSocket } from "./forwarded_socket.ts";
import type {
  BodyPart,
  FunctionFetch,
  RequestHead,
  ResponseHead,
  ToPlatform,
  ToThread,
} from "./wire.ts";

/** Methods without a body in the Fetch standard. */
const READING: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** Statuses that never have a body (Fetch standard, null body status). */
const NULL_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

type Fields = [string, string][];

/** A message about one request. */
export type AboutForwarded = Extract<
  ToPlatform,
  {
    readonly type:
      | "request"
      | "body"
      | "broken"
      | "more"
      | "gone"
      | "socket_open"
      | "socket_taken"
      | "socket_message"
      | "socket_close";
  }
>;

/** The connection of a request that a thread handed over. */
export type ForwardedConnection = ClientConnection & EdgeConnection;

export interface ForwardedRequestsOptions {
  send(message: ToThread): void;
  /** Performs a request of a function. */
  fetch(asked: FunctionFetch, request: OutboundRequest): Promise<OutboundResponse>;
  /** Answers a request; never rejects. */
  answer(request: Request, connection: ForwardedConnection): Response | Promise<Response>;
}

interface Forwarded {
  readonly request: ForwardedRequest;
  /** The request's body, while it comes. */
  readonly parts: BodyParts | undefined;
  /** The response's body, while it is sent. */
  source?: BodySource;
  socket?: ForwardedSocket;
}

export class ForwardedRequests {
  readonly #open = new Map<number, Forwarded>();

  constructor(private readonly options: ForwardedRequestsOptions) {}

  /** Takes a message of the thread. */
  receive(message: AboutForwarded): void {
    if (message.type === "request") return void this.#take(message);
    const forwarded = this.#open.get(message.id);
    if (forwarded === undefined) return;
    switch (message.type) {
      case "body":
        return forwarded.parts?.take(message.part);
      case "broken":
        return forwarded.parts?.break(new Error(message.message));
      case "more":
        return void forwarded.source?.next();
      case "gone":
        return this.#drop(message.id, forwarded);
      case "socket_open":
        return forwarded.socket?.opened();
      case "socket_taken":
        return forwarded.socket?.taken(message.bytes);
      case "socket_message":
        return forwarded.socket?.received(message.data);
      case "socket_close":
        this.#open.delete(message.id);
        return forwarded.socket?.closed(message.code, message.reason);
    }
  }

  /** Lets all requests go: their thread has ended. */
  close(): void {
    for (const [id, forwarded] of this.#open) this.#drop(id, forwarded);
  }

  #drop(id: number, { request, parts, source, socket }: Forwarded): void {
    this.#open.delete(id);
    request.leave();
    parts?.break(new Error("The client has left"));
    source?.cancel();
    socket?.closed();
  }

  async #take(head: RequestHead): Promise<void> {
    const { id, method, remoteAddress, scheme, decided } = head;
    const { send } = this.options;
    const parts = head.hasBody
      ? new BodyParts({
        more: () => send({ type: "more", id }),
        enough: () => send({ type: "enough", id }),
      })
      : undefined;
    const body = parts?.stream ?? null;
    const isReading = READING.has(method);
    const request = new ForwardedRequest(head, isReading ? null : body);
    const forwarded: Forwarded = { request, parts };
    this.#open.set(id, forwarded);
    if (head.fetch !== undefined) return await this.#fetch(head, head.fetch, forwarded);
    let problem: string | undefined;
    const handedOver: HandedOver = {
      decided,
      content: isReading ? body : null,
      upgrade: () => this.#upgrade(id, forwarded),
      // Where the thread does not know the site, it looks for no copy.
      keepCopy: decided && this.#sendCopy,
      noteProblem: (text) => problem = text,
    };
    const response = await this.options.answer(request, {
      ...{ remoteAddress, scheme, handedOver },
      hold: () => {},
    });
    await this.#respond(id, forwarded, response, { problem });
  }

  /** Performs a request of a function that the thread has called. */
  async #fetch(
    { id, method, url, headers }: RequestHead,
    asked: FunctionFetch,
    forwarded: Forwarded,
  ): Promise<void> {
    const { redirect } = asked;
    const { signal } = forwarded.request;
    const body = forwarded.parts?.stream ?? null;
    try {
      const { status, bytes, ...fetched } = await this.options.fetch(asked, {
        ...{ method, url, headers, body, signal, ...(redirect && { redirect }) },
      });
      const content = NULL_BODY.has(status) ? null : bytes ?? fetched.body;
      const response = new Response(content, { status, headers: fetched.headers as Fields });
      if (content === bytes && bytes !== undefined) markWhole(response, bytes);
      const { statusText, url: answering, redirected } = fetched;
      await this.#respond(id, forwarded, response, {
        fetched: { statusText, url: answering, redirected },
      });
    } catch (error) {
      this.#open.delete(id);
      this.options.send({ type: "broken", id, message: messageOf(error), isForeign: true });
    }
  }

  /** Sends a copy at once: a purge that comes later must reach the thread later. */
  readonly #sendCopy = (copy: CachedCopy): void => this.options.send({ type: "copy", copy });

  #upgrade(id: number, forwarded: Forwarded): ReturnType<HandedOver["upgrade"]> {
    const { send } = this.options;
    const socket = new ForwardedSocket({
      send: (data) => send({ type: "socket_message", id, data }),
      close: (code, reason) => send({ type: "socket_close", id, code, reason }),
    });
    forwarded.socket = socket;
    return { socket, response: new Response() };
  }

  async #respond(
    id: number,
    forwarded: Forwarded,
    response: Response,
    more: Pick<ResponseHead, "fetched" | "problem">,
  ): Promise<void> {
    const { send } = this.options;
    const { status, body } = response;
    const head = {
      ...{ type: "response", id, status, headers: [...response.headers] } as const,
      ...more,
    };
    if (!this.#open.has(id)) {
      forwarded.socket?.closed();
      return void body?.cancel().catch(() => {});
    }
    if (forwarded.socket !== undefined) return send({ ...head, body: null, upgrade: true });
    if (body === null || isWhole(response)) {
      const bytes = body === null ? null : new Uint8Array(await response.arrayBuffer());
      this.#open.delete(id);
      return send({ ...head, body: bytes, upgrade: false });
    }
    forwarded.source = new BodySource(body, {
      part: (part: BodyPart) => {
        if (part === null) this.#open.delete(id);
        send({ type: "body", id, part });
      },
      broken: (error) => {
        this.#open.delete(id);
        const isForeign = isOfOthers(error);
        send({ type: "broken", id, message: messageOf(error), isForeign });
      },
    });
    const whole = await forwarded.source.whole();
    if (whole !== undefined) this.#open.delete(id);
    send({ ...head, body: whole ?? "parts", upgrade: false });
  }
}
