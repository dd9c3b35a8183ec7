/**
 * @module Sends one HTTP/1.1 request over its own connection, exactly as written.
 *
 * Tests need to see truncated responses, which Deno 2.7's `node:http` never reports, and to send
 * unnormalized paths, which `fetch()` cannot do.
 */
import { Buffer } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";

/** Maximum time for a response, in milliseconds. */
const TIMEOUT_MS = 30_000;

export interface ExchangeRequest {
  /** The loopback address by default. */
  readonly address?: string;
  readonly port: number;
  readonly method?: string;
  /** Sent unchanged, including dot segments and unusual escapes. */
  readonly path: string;
  /** Including `Host`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface ExchangeResponse {
  readonly status: number;
  /** Names are in lower case. Values with the same name are joined, except for `set-cookie`. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array<ArrayBuffer>;
}

const END_OF_HEAD = "\r\n\r\n";
/** Decodes Latin-1, which `TextDecoder` would decode as Windows-1252. */
const latin1 = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

/** Reads a response from a connection, part by part. */
class Reading {
  #rest = new Uint8Array();

  readonly #conn: Deno.Conn;

  constructor(conn: Deno.Conn) {
    this.#conn = conn;
  }

  /** @throws {Error} if the connection closes */
  async #more(): Promise<Uint8Array> {
    const buffer = new Uint8Array(64 * 1024);
    const read = await this.#conn.read(buffer);
    if (read === null) throw new Error("The connection closed early");
    return buffer.subarray(0, read);
  }

  /** Reads up to `end`, and returns the text before it. */
  async until(end: string): Promise<string> {
    for (;;) {
      const at = latin1(this.#rest).indexOf(end);
      if (at !== -1) {
        const text = latin1(this.#rest.subarray(0, at));
        this.#rest = this.#rest.slice(at + end.length);
        return text;
      }
      this.#rest = join([this.#rest, await this.#more()]);
    }
  }

  async bytes(count: number): Promise<Uint8Array<ArrayBuffer>> {
    const parts = [this.#rest as Uint8Array];
    for (let length = this.#rest.byteLength; length < count;) {
      const part = await this.#more();
      parts.push(part);
      length += part.byteLength;
    }
    const whole = join(parts);
    this.#rest = whole.slice(count);
    return whole.slice(0, count);
  }

  async chunks(): Promise<Uint8Array<ArrayBuffer>> {
    const parts: Uint8Array[] = [];
    for (;;) {
      const size = parseInt(await this.until("\r\n"), 16);
      if (size === 0) break;
      parts.push(await this.bytes(size));
      await this.until("\r\n");
    }
    while (await this.until("\r\n") !== "");
    return join(parts);
  }

  async rest(): Promise<Uint8Array<ArrayBuffer>> {
    const parts = [this.#rest as Uint8Array];
    for await (const part of this.#conn.readable) parts.push(part);
    return join(parts);
  }
}

function parseHead(text: string): { status: number; headers: IncomingHttpHeaders } {
  const [line = "", ...fields] = text.split("\r\n");
  const headers: IncomingHttpHeaders = {};
  for (const field of fields) {
    const name = field.slice(0, field.indexOf(":")).toLowerCase();
    const value = field.slice(name.length + 1).trim();
    const before = headers[name];
    if (name === "set-cookie") headers[name] = [...headers[name] ?? [], value];
    else headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return { status: Number(line.split(" ")[1]), headers };
}

async function readResponse(conn: Deno.Conn, method: string): Promise<ExchangeResponse> {
  const reading = new Reading(conn);
  let head = parseHead(await reading.until(END_OF_HEAD));
  while (head.status < 200 && head.status !== 101) {
    head = parseHead(await reading.until(END_OF_HEAD));
  }
  const { status, headers } = head;
  const length = headers["content-length"];
  const isEmpty = method === "HEAD" || status === 204 || status === 304 || status === 101;
  const readBody = () => {
    if (isEmpty) return new Uint8Array();
    if (/chunked/i.test(String(headers["transfer-encoding"]))) return reading.chunks();
    return length === undefined ? reading.rest() : reading.bytes(Number(length));
  };
  return { status, headers, body: await readBody() };
}

function format({ method = "GET", path, headers, body }: ExchangeRequest): Uint8Array {
  const content = new TextEncoder().encode(body ?? "");
  const fields = {
    connection: "close",
    ...(body === undefined ? {} : { "content-length": String(content.byteLength) }),
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  const head = [`${method} ${path} HTTP/1.1`, ...lines, "", ""].join("\r\n");
  return join([Uint8Array.from(head, (letter) => letter.charCodeAt(0)), content]);
}

async function writeAll(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength;) at += await conn.write(bytes.subarray(at));
}

/**
 * Sends a request and reads its response.
 *
 * @throws {Error} if the connection fails or closes early, or the response takes more than 30
 * seconds
 */
export async function exchange(request: ExchangeRequest): Promise<ExchangeResponse> {
  const { address = "127.0.0.1", port, method = "GET" } = request;
  const conn = await Deno.connect({ hostname: address, port });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    conn.close();
  }, TIMEOUT_MS);
  try {
    // The response may arrive, and the connection may close, before the whole request has been
    // sent.
    writeAll(conn, format(request)).catch(() => {});
    const response = await readResponse(conn, method);
    return response;
  } catch (error) {
    throw timedOut ? new Error("No response within 30 seconds", { cause: error }) : error;
  } finally {
    clearTimeout(timer);
    if (!timedOut) {
      try {
        conn.close();
      } catch { /* its end has been read */ }
    }
  }
}
