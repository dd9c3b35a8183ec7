/**
 * The requests that an edge thread hands over to the platform: their bodies travel
 * there, and their responses back, in messages that no client can send.
 *
 * @module
 */
import { type Connection, contentOf, type Decided, type RouteElsewhere } from "../../edge/mod.ts";
import { BrokenBodyError } from "../../lib/broken_body.ts";
import { messageOf } from "../../lib/error_message.ts";
import type { OutboundRequest, OutboundResponse } from "../../runtime/mod.ts";
import { isWhole, markWhole } from "../../lib/whole_answer.ts";
import { BodyParts, BodySource } from "./body_parts.ts";
import { ClientSocketRelay } from "./client_socket_relay.ts";
import type { FunctionFetch, ResponseHead, ToPlatform, ToThread } from "./wire.ts";

/** Methods without a body in the Fetch standard; their content is read in another way. */
const READING: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** The edge that runs the pipeline writes it itself. */
const REQUEST_ID = "x-svc-request-id";

const LEFT = "The request was aborted";

/** The status that nginx gave requests whose client left. */
const CLIENT_LEFT = 499;

interface Answer {
  readonly response: Response;
  readonly fetched?: ResponseHead["fetched"];
  readonly problem?: ResponseHead["problem"];
}

interface Forwarded {
  /** Missing where it is a function's request. */
  readonly client?: { readonly request: Request; readonly connection: Connection };
  readonly answered: PromiseWithResolvers<Answer>;
  readonly source: BodySource | undefined;
  /** Stops watching whether the client leaves. */
  stay(): void;
  /** The body of the response, while it comes in parts. */
  parts?: BodyParts;
  relay?: ClientSocketRelay;
}

/** A message about one request. */
export type AboutRequest = Extract<
  ToThread,
  {
    readonly type:
      | "response"
      | "body"
      | "broken"
      | "more"
      | "enough"
      | "socket_message"
      | "socket_close";
  }
>;

export class Forwarder {
  readonly #open = new Map<number, Forwarded>();
  #last = 0;

  constructor(private readonly send: (message: ToPlatform) => void) {}

  /** Requests whose responses are not complete. */
  get size(): number {
    return this.#open.size;
  }

  /** Has the platform answer a request. */
  readonly forward = (
    request: Request,
    connection: Connection,
    decided?: Decided,
  ): Promise<Response> => {
    const body = READING.has(request.method) ? contentOf(request) : request.body;
    return this.#forward({ request, connection, decided, body }).then(({ response }) => response);
  };

  /** Has the platform answer a path for a pipeline that this thread runs. */
  readonly route: RouteElsewhere = async (request, connection, decided) => {
    // The body is the pipeline's, and no image needs one.
    const { response, problem } = await this.#forward({
      ...{ request, connection, decided, body: null },
    });
    const { status, body } = response;
    return {
      status,
      headers: [...response.headers].filter(([name]) => name !== REQUEST_ID),
      body: isWhole(response) ? new Uint8Array(await response.arrayBuffer()) : body,
      ...(problem !== undefined && { problem }),
    };
  };

  #forward(
    { request, connection, decided, body }: {
      readonly request: Request;
      readonly connection: Connection;
      readonly decided: Decided | undefined;
      readonly body: ReadableStream<Uint8Array> | null;
    },
  ): Promise<Answer> {
    const id = ++this.#last;
    const { method, url } = request;
    const answered = this.#follow(id, {
      ...{ body, signal: request.signal, client: { request, connection } },
    });
    this.send({
      ...{ type: "request", id, method, url, decided },
      headers: [...request.headers],
      remoteAddress: connection.remoteAddress,
      scheme: connection.scheme,
      hasBody: body !== null,
    });
    return answered;
  }

  /** Has the platform perform a request of a function; rejects with what went wrong. */
  async fetch(
    asked: Omit<FunctionFetch, "redirect">,
    { method, url, headers, body, redirect, signal }: OutboundRequest,
  ): Promise<OutboundResponse> {
    const id = ++this.#last;
    const answered = this.#follow(id, {
      body,
      signal: typeof signal === "function" ? signal() : signal,
    });
    this.send({
      ...{ type: "request", id, method, url, headers, hasBody: body !== null },
      ...{ remoteAddress: "", scheme: "http", fetch: { ...asked, redirect } },
    });
    const { response, fetched } = await answered;
    const { status, body: content } = response;
    return { ...fetched!, status, headers: [...response.headers], body: content };
  }

  /** Notes a request under way; resolves with its response. */
  #follow(
    id: number,
    { body, signal, client }: {
      readonly body: ReadableStream<Uint8Array> | null;
      readonly signal: AbortSignal | undefined;
      readonly client?: NonNullable<Forwarded["client"]>;
    },
  ): Promise<Answer> {
    const source = body === null ? undefined : new BodySource(body, {
      part: (part) => this.send({ type: "body", id, part }),
      broken: (error) => this.send({ type: "broken", id, message: messageOf(error) }),
    });
    const answered = Promise.withResolvers<Answer>();
    const leave = () => this.#leave(id);
    signal?.addEventListener("abort", leave, { once: true });
    const stay = () => signal?.removeEventListener("abort", leave);
    this.#open.set(id, { ...(client && { client }), answered, source, stay });
    return answered.promise;
  }

  /** Takes a message of the platform. */
  receive(message: AboutRequest): void {
    const { id } = message;
    const forwarded = this.#open.get(id);
    if (forwarded === undefined) return;
    switch (message.type) {
      case "response":
        return this.#answer(forwarded, message);
      case "body":
        if (message.part === null) this.#open.delete(id);
        return forwarded.parts?.take(message.part);
      case "broken":
        return this.#break(forwarded, message);
      case "more":
        return void forwarded.source?.next();
      case "enough":
        return forwarded.source?.cancel();
      case "socket_message":
        return forwarded.relay?.deliver(message.data);
      case "socket_close":
        return forwarded.relay?.close(message);
    }
  }

  #break(
    { parts, answered }: Forwarded,
    { id, message, isForeign }: Extract<ToThread, { readonly type: "broken" }>,
  ): void {
    this.#open.delete(id);
    const error = isForeign ? new BrokenBodyError(message) : new Error(message);
    if (parts === undefined) answered.reject(error);
    else parts.break(error);
  }

  #answer(forwarded: Forwarded, head: ResponseHead): void {
    const { id, status, body, fetched, problem } = head;
    const { answered, client } = forwarded;
    if (head.upgrade && client !== undefined) {
      return answered.resolve({ response: this.#upgrade({ ...forwarded, client }, head) });
    }
    const headers = head.headers as [string, string][];
    if (body !== "parts") {
      this.#open.delete(id);
      const response = markWhole(new Response(body, { status, headers }), body);
      return answered.resolve({ response, fetched, problem });
    }
    forwarded.parts = new BodyParts({
      more: () => this.send({ type: "more", id }),
      enough: () => this.#leave(id),
    });
    const response = new Response(forwarded.parts.stream, { status, headers });
    answered.resolve({ response, fetched, problem });
  }

  /** Upgrades the client's connection, and relays its messages. */
  #upgrade(
    forwarded: Forwarded & { readonly client: NonNullable<Forwarded["client"]> },
    { id, headers }: ResponseHead,
  ): Response {
    const { request, connection } = forwarded.client;
    // Deno 2.6 ends the request's signal with the upgrade.
    forwarded.stay();
    try {
      const { socket, response } = Deno.upgradeWebSocket(request);
      const ended = Promise.withResolvers<void>();
      const relay = new ClientSocketRelay(socket, {
        opened: () => this.send({ type: "socket_open", id }),
        message: (data) => this.send({ type: "socket_message", id, data }),
        taken: (bytes) => this.send({ type: "socket_taken", id, bytes }),
        closed: (code, reason) => {
          this.#open.delete(id);
          this.send({ type: "socket_close", id, code, reason });
          ended.resolve();
        },
      });
      this.#open.set(id, { ...forwarded, relay });
      connection.hold?.(ended.promise);
      for (const [name, value] of headers) response.headers.append(name, value);
      return response;
    } catch {
      this.#leave(id);
      return new Response(null, { status: 400 });
    }
  }

  /** The client has left, or wants no more. */
  #leave(id: number): void {
    const forwarded = this.#open.get(id);
    if (forwarded === undefined || forwarded.relay !== undefined) return;
    this.#open.delete(id);
    this.send({ type: "gone", id });
    forwarded.source?.cancel();
    if (forwarded.client === undefined) return forwarded.answered.reject(new Error(LEFT));
    // Goes nowhere; nobody is to be told of a client that left.
    forwarded.answered.resolve({ response: new Response(null, { status: CLIENT_LEFT }) });
  }
}
