/** @module Reads Server-Sent Events (WHATWG HTML, 9.2) as checked values. */
import type { Endpoint, QueryInputOf, ResponseOf } from "../contract/endpoint.ts";
import { MISSING_NODE_EVENT, type MissingNode, missingNode } from "../contract/common.ts";
import { buildPath, type Client } from "./client.ts";
import { ContractError, UnreachableError } from "./errors.ts";

/** Maximum length of an event, in characters. */
const MAX_EVENT = 1024 * 1024;

interface ReadEvent {
  /** Name of the event. Empty if it has none. */
  readonly name: string;
  readonly data: string;
}

/** Splits a stream of text into its events. Comments and other fields are skipped. */
export async function* readEvents(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ReadEvent> {
  let rest = "";
  let data: string[] = [];
  let name = "";
  const valueOf = (line: string, field: string) => line.slice(field.length).replace(/^ /, "");
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    rest += chunk;
    if (rest.length > MAX_EVENT) throw new RangeError(`Keep events within ${MAX_EVENT} characters`);
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (data.length > 0) yield { name, data: data.join("\n") };
        [data, name] = [[], ""];
      } else if (line.startsWith("data:")) {
        data.push(valueOf(line, "data:"));
      } else if (line.startsWith("event:")) {
        name = valueOf(line, "event:");
      }
    }
  }
}

/**
 * Follows an event stream until `signal` is aborted. Throws `UnreachableError` if the platform ends
 * the stream.
 */
export async function* followEvents<E extends Endpoint>(
  client: Client,
  endpoint: E,
  input: {
    readonly params: Readonly<Record<string, unknown>>;
    readonly query?: QueryInputOf<E>;
    readonly signal: AbortSignal;
    /** ID of the last event that was received. The stream continues after it. */
    readonly lastEventId?: string | undefined;
    /** Called for each node of the platform whose events are missing from the stream. */
    onMissingNode?(node: MissingNode): void;
  },
): AsyncGenerator<ResponseOf<E>> {
  const request = `${endpoint.method} ${endpoint.path}`;
  const response = await client.fetchRaw({
    method: endpoint.method,
    path: buildPath(endpoint.path, input),
    headers: {
      accept: "text/event-stream",
      ...(input.lastEventId === undefined ? {} : { "last-event-id": input.lastEventId }),
    },
    signal: input.signal,
  });
  if (response.body === null) throw new ContractError(request, { cause: "empty body" });
  const events = readEvents(response.body);
  while (true) {
    let next: IteratorResult<ReadEvent>;
    try {
      next = await events.next();
    } catch (cause) {
      if (input.signal.aborted) return;
      throw new UnreachableError(client.baseUrl, { cause });
    }
    if (next.done) throw new UnreachableError(client.baseUrl, { cause: "end of stream" });
    const data: unknown = JSON.parse(next.value.data);
    if (next.value.name === MISSING_NODE_EVENT) {
      input.onMissingNode?.(missingNode.parse(data));
      continue;
    }
    const parsed = endpoint.response.safeParse(data);
    if (!parsed.success) throw new ContractError(request, { cause: parsed.error });
    yield parsed.data as ResponseOf<E>;
  }
}
