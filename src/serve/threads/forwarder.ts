/**
 * The requests that an edge thread hands over to the platform: their bodies travel
 * there, and their responses back, in messages that no client can send.
 *
 * @module
 */
import { type Connection, contentOf, type Decided } from "../../edge/mod.ts";
import { BrokenBodyError } from "../../lib/broken_body.ts";
import { messageOf } from "../../lib/error_message.ts";
import { markWhole } from "../../lib/whole_answer.ts";
import { BodyParts, BodySource } from "./body_parts.ts";
import { ClientSocketRelay } from "./client_socket_relay.ts";
import type { ResponseHead, ToPlatform, ToThread } from "./wire.ts";

/** Methods without a body in the Fetch standard; their content is read in another way. */
const READING: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** The status that nginx gave requests whose client left. */
const CLIENT_LEFT = 499;

interface Forwarded {
  readonly request: Request;
  readonly connection: Connection;
  readonly answered: PromiseWithResolvers<Response>;
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
    const id = ++this.#last;
    const { method, url } = request;
    const body = READING.has(method) ? contentOf(request) : request.body;
    const source = body === null ? undefined : new BodySource(body, {
      part: (part) => this.send({ type: "body", id, part }),
      broken: (error) => this.send({ type: "broken", id, message: messageOf(error) }),
    });
    const answered = Promise.withResolvers<Response>();
    const { signal } = request;
    const leave = () => this.#leave(id);
    signal.addEventListener("abort", leave, { once: true });
    const stay = () => signal.removeEventListener("abort", leave);
    this.#open.set(id, { request, connection, answered, source, stay });
    this.send({
      ...{ type: "request", id, method, url, decided },
      headers: [...request.headers],
      remoteAddress: connection.remoteAddress,
      scheme: connection.scheme,
      hasBody: body !== null,
    });
    return answered.promise;
  };

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
        this.#open.delete(id);
        return forwarded.parts?.break(
          message.isForeign ? new BrokenBodyError(message.message) : new Error(message.message),
        );
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

  #answer(forwarded: Forwarded, head: ResponseHead): void {
    const { id, status, body } = head;
    if (head.upgrade) return forwarded.answered.resolve(this.#upgrade(forwarded, head));
    const headers = head.headers as [string, string][];
    if (body !== "parts") {
      this.#open.delete(id);
      const response = new Response(body, { status, headers });
      return forwarded.answered.resolve(markWhole(response, body));
    }
    forwarded.parts = new BodyParts({
      more: () => this.send({ type: "more", id }),
      enough: () => this.#leave(id),
    });
    forwarded.answered.resolve(new Response(forwarded.parts.stream, { status, headers }));
  }

  /** Upgrades the client's connection, and relays its messages. */
  #upgrade(
    { request, connection, ...forwarded }: Forwarded,
    { id, headers }: ResponseHead,
  ): Response {
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
      this.#open.set(id, { ...forwarded, request, connection, relay });
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
    // Goes nowhere; nobody is to be told of a client that left.
    forwarded.answered.resolve(new Response(null, { status: CLIENT_LEFT }));
  }
}
