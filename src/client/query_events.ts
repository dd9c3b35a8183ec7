/**
 * @module Reads streamed responses: SQL as text, and the events of a query. Only one line is in
 * memory at a time.
 */
import type { BodyInputOf, Endpoint, ParamsOf, QueryInputOf } from "../contract/endpoint.ts";
import { importDatabase, queryDatabase } from "../contract/database_queries.ts";
import { type QueryEvent, queryEvent } from "../contract/database_queries.ts";
import { buildPath, type Client } from "./client.ts";
import { ContractError, UnreachableError } from "./errors.ts";

/**
 * Maximum length of a line, in characters. The limit is large because a single value can be large.
 */
const MAX_LINE = 256 * 1024 * 1024;

export type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;

/** Splits a stream of text into its lines, without line breaks or empty lines. */
export async function* readLines(stream: Bytes, maxLength = MAX_LINE): AsyncGenerator<string> {
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    const pieces = chunk.split("\n");
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) {
        const line = parts.join("");
        [parts, length] = [[], 0];
        if (line !== "") yield line;
      }
      length += piece.length;
      if (length > maxLength) throw new RangeError(`Keep lines within ${maxLength} characters`);
      if (piece !== "") parts.push(piece);
    }
  }
  if (parts.length > 0) yield parts.join("");
}

export interface StreamInput<E extends Endpoint> {
  readonly params: ParamsOf<E>;
  readonly query?: QueryInputOf<E>;
  readonly body?: BodyInputOf<E>;
  /** The body of an endpoint that accepts bytes. The body is sent as it arrives. */
  readonly octets?: ReadableStream<Uint8Array>;
  readonly signal?: AbortSignal;
}

/**
 * Calls an endpoint with a binary response, without retries, and returns the bytes as they arrive.
 */
export async function fetchOctets<E extends Endpoint>(
  client: Client,
  endpoint: E,
  { params, query, body, octets, signal }: StreamInput<E>,
): Promise<Bytes> {
  const type = octets === undefined ? "application/json" : "application/octet-stream";
  const sent = octets ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await client.fetchRaw({
    method: endpoint.method,
    path: buildPath(endpoint.path, { params, query }),
    headers: { accept: "*/*", ...(sent === undefined ? {} : { "content-type": type }) },
    ...(sent === undefined ? {} : { body: () => sent }),
    signal,
  });
  if (response.body === null) return new Blob([]).stream();
  return response.body;
}

function parseEvent(line: string, request: string): QueryEvent {
  try {
    return queryEvent.parse(JSON.parse(line));
  } catch (cause) {
    throw new ContractError(request, { cause });
  }
}

/**
 * Yields the events of an SQL response, validated one by one. Throws {@link UnreachableError} if
 * the response ends early.
 */
async function* readEvents(
  client: Client,
  request: string,
  stream: Bytes,
  signal: AbortSignal | undefined,
): AsyncGenerator<QueryEvent> {
  let isOpen = false;
  const lines = readLines(stream);
  while (true) {
    let next: IteratorResult<string>;
    try {
      next = await lines.next();
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      throw new UnreachableError(client.baseUrl, { cause });
    }
    if (next.done) break;
    const event = parseEvent(next.value, request);
    if (event.type !== "notice") isOpen = event.type === "columns" || event.type === "rows";
    yield event;
  }
  if (isOpen) throw new UnreachableError(client.baseUrl, { cause: "end of stream" });
}

/** Runs SQL on a branch. Ending the iteration early or aborting `signal` cancels the statement. */
export async function* queryEvents(
  client: Client,
  input: StreamInput<typeof queryDatabase>,
): AsyncGenerator<QueryEvent> {
  const stream = await fetchOctets(client, queryDatabase, input);
  yield* readEvents(client, `POST ${queryDatabase.path}`, stream, input.signal);
}

/** Runs an SQL script on a branch, in one transaction. */
export async function* importEvents(
  client: Client,
  input: StreamInput<typeof importDatabase>,
): AsyncGenerator<QueryEvent> {
  const stream = await fetchOctets(client, importDatabase, input);
  yield* readEvents(client, `POST ${importDatabase.path}`, stream, input.signal);
}
