/**
 * Opens client connections whose requests last until the test finishes them.
 *
 * @module
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";

/** A request whose response has partly arrived. */
export interface HeldRequest {
  readonly connection: ClientConnection;
  readonly what: string;
  /**
   * Requests the remaining parts. Returns whether everything arrived unchanged or the connection
   * was closed early.
   */
  finish(): Promise<"whole" | "broken">;
}

/** A request, and the content that the response must have. */
export interface RequestTarget {
  readonly host: string;
  readonly path: string;
  readonly content: Buffer;
  /**
   * True if the request sends the content and the server returns it; false if the content is a
   * file.
   */
  readonly isEcho: boolean;
}

/** Reads parts of a response until there are `size` bytes, or until the response is complete. */
async function readUpTo(
  parts: AsyncIterator<Buffer>,
  size: number,
): Promise<Buffer> {
  const read: Buffer[] = [];
  for (let left = size; left > 0;) {
    const { done, value } = await parts.next();
    if (done) break;
    read.push(value);
    left -= value.byteLength;
  }
  return Buffer.concat(read);
}

/** A persistent connection for consecutive requests. */
export class ClientConnection {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #socket: unknown;

  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
  }

  /** Requests a path. Returns the status and text of the response. */
  async get(host: string, path: string): Promise<string> {
    const { asked, response } = await this.#open(host, path, "GET", (asked) => asked.end());
    const text = (await (await response).toArray()).join("");
    this.#check(asked);
    return `${(await response).statusCode} ${text}`;
  }

  /** Sends a request. The start of the response arrives immediately, and the rest on demand. */
  async hold({ host, path, content, isEcho }: RequestTarget): Promise<HeldRequest> {
    const first = isEcho ? content.byteLength / 2 : 1;
    const { asked, response } = this.#open(
      host,
      path,
      isEcho ? "POST" : "GET",
      (asked) => isEcho ? asked.write(content.subarray(0, first)) : asked.end(),
    );
    const answer = await response;
    this.#check(asked);
    assert.equal(answer.statusCode, 200, `${host}${path}`);
    const parts: AsyncIterator<Buffer> = answer[Symbol.asyncIterator]();
    const begun = await readUpTo(parts, first);
    const finish = async () => {
      if (isEcho) asked.end(content.subarray(first));
      const rest = await readUpTo(parts, Infinity).catch(() => undefined);
      if (rest === undefined) return "broken" as const;
      assert.ok(
        Buffer.concat([begun, rest]).equals(content),
        `${host}${path} ended early, or with different bytes`,
      );
      return "whole" as const;
    };
    return { connection: this, what: `${host}${path}`, finish };
  }

  close(): void {
    this.#agent.destroy();
  }

  #open(
    host: string,
    path: string,
    method: string,
    send: (asked: ClientRequest) => void,
  ): { readonly asked: ClientRequest; readonly response: Promise<IncomingMessage> } {
    const port = this.#port;
    const headers = { host };
    const asked = request({
      hostname: "127.0.0.1",
      port,
      path,
      method,
      headers,
      agent: this.#agent,
    });
    const response = once(asked, "response").then(([response]) => response as IncomingMessage);
    // Later failures are reported where the response is read.
    asked.on("error", () => {});
    send(asked);
    return { asked, response };
  }

  /** Remembers the connection that the first request opened. */
  #check(asked: ClientRequest): void {
    this.#socket ??= asked.socket;
    assert.ok(asked.socket === this.#socket, "expected one connection");
  }
}
