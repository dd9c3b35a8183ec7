/**
 * @module Writes HTTP/1.1 request heads, and reads response heads (RFC 9112). The reader is strict:
 * it rejects anything that another reader could interpret differently.
 */
import { OutboundError } from "./errors.ts";

/** Names and values of header fields, in order. */
export type HeaderList = readonly (readonly [string, string])[];

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// deno-lint-ignore no-control-regex -- matches forbidden control characters on purpose
const BAD_VALUE = /[\x00-\x08\x0a-\x1f\x7f\u0100-\uffff]/;
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5][0-9]{2})(?: (.*))?$/;

/** How a reader determines the end of a body (RFC 9112, 6.3). */
export type BodyFraming =
  | { readonly type: "none" }
  | { readonly type: "length"; readonly length: number }
  | { readonly type: "chunked" }
  | { readonly type: "close" };

export interface ResponseHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: HeaderList;
  readonly framing: BodyFraming;
  /** True if the connection can be used for another request after the body. */
  readonly keepAlive: boolean;
}

const broken = (what: string): OutboundError =>
  new OutboundError("bad_response", `The response is malformed: ${what}`);

const isPadding = (code: number): boolean => code === 32 || code === 9;

/** Returns the text from an index on, without surrounding spaces or tabs. */
function withoutPadding(line: string, from: number): string {
  let [start, end] = [from, line.length];
  while (start < end && isPadding(line.charCodeAt(start))) start++;
  while (end > start && isPadding(line.charCodeAt(end - 1))) end--;
  return line.slice(start, end);
}

function readField(line: string): [string, string] {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(colon, 0));
  if (!TOKEN.test(name)) throw broken("a header line is malformed");
  const value = withoutPadding(line, colon + 1);
  if (BAD_VALUE.test(value)) throw broken("a header has a control character");
  return [name, value];
}

function valuesOf(headers: HeaderList, wanted: string): string[] {
  const values: string[] = [];
  for (const [name, value] of headers) {
    if (name.length === wanted.length && name.toLowerCase() === wanted) values.push(value);
  }
  return values;
}

/** Reads the `Content-Length` field. Rejects two such fields, even if they are equal. */
export function readContentLength(headers: HeaderList): number | undefined {
  const values = valuesOf(headers, "content-length");
  if (values.length === 0) return undefined;
  if (values.length > 1 || !/^[0-9]{1,15}$/.test(values[0]!)) {
    throw broken("its content-length is not a single number");
  }
  return Number(values[0]);
}

function readFraming(
  headers: HeaderList,
  facts: { readonly status: number; readonly minor: string; readonly method: string },
): BodyFraming {
  const codings = valuesOf(headers, "transfer-encoding");
  const length = readContentLength(headers);
  if (codings.length > 0) {
    if (facts.minor === "0") throw broken("HTTP/1.0 has no transfer-encoding");
    if (length !== undefined) throw broken("it has both transfer-encoding and content-length");
    if (codings.length > 1 || codings[0]!.toLowerCase() !== "chunked") {
      throw broken("its transfer-encoding is not chunked");
    }
  }
  const { status, method } = facts;
  if (method === "HEAD" || status === 204 || status === 304) return { type: "none" };
  if (codings.length > 0) return { type: "chunked" };
  if (length !== undefined) return length === 0 ? { type: "none" } : { type: "length", length };
  return { type: "close" };
}

/**
 * Reads the headers of a response, without their final empty line.
 *
 * @throws OutboundError `bad_response`
 */
export function parseResponseHead(text: string, method: string): ResponseHead {
  const [first, ...lines] = text.split("\r\n");
  const match = STATUS_LINE.exec(first!);
  if (match === null) throw broken("it does not start with a status line");
  const headers = lines.map(readField);
  const status = Number(match[2]);
  const minor = match[1]!;
  const statusText = match[3] ?? "";
  if (BAD_VALUE.test(statusText)) throw broken("its status line has a control character");
  const framing: BodyFraming = status < 200
    ? { type: "none" }
    : readFraming(headers, { status, minor, method });
  const closes = valuesOf(headers, "connection").some((options) =>
    options.toLowerCase().split(",").some((option) => option.trim() === "close")
  );
  const keepAlive = minor === "1" && framing.type !== "close" && !closes;
  return { status, statusText, headers, framing, keepAlive };
}

/**
 * Writes the headers of a request.
 *
 * @throws OutboundError `bad_request` if the method or a header contains characters that are not
 * allowed
 */
export function formatRequestHead(
  method: string,
  target: string,
  headers: HeaderList,
): string {
  if (!TOKEN.test(method)) throw new OutboundError("bad_request", "The method is not a token");
  if (!/^[\x21-\x7e]+$/.test(target)) throw new OutboundError("bad_request", "The path is invalid");
  let text = `${method} ${target} HTTP/1.1\r\n`;
  for (const [name, value] of headers) {
    if (!TOKEN.test(name) || BAD_VALUE.test(value)) {
      throw new OutboundError("bad_request", "A header is not valid in HTTP");
    }
    text += `${name}: ${value}\r\n`;
  }
  return `${text}\r\n`;
}
