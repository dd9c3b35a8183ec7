/** @module The HTTP API of a namespace, which functions use without a network connection. */
import { createNamespaceHandler, type NamespaceHandlerOptions } from "./handle_request.ts";
import type { Namespace } from "./types.ts";

interface KvFetchRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: ReadableStream<Uint8Array> | null;
}

interface KvFetchResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  readonly url: string;
  readonly redirected: boolean;
}

/** Sends a request to the store. Never rejects because of the request's content. */
export type KvFetch = (request: KvFetchRequest) => Promise<KvFetchResponse>;

/** Creates the function that handles requests to a namespace. */
export function createKvFetch(
  { namespace, answerOther, ...options }: NamespaceHandlerOptions & {
    readonly namespace: Namespace;
    /** Serves requests to other services, such as queues. */
    readonly answerOther?: (request: Request) => Promise<Response> | undefined;
  },
): KvFetch {
  const handle = createNamespaceHandler(options);
  return async ({ method, url, headers, body }) => {
    const sent = new Headers(headers.map(([name, value]): [string, string] => [name, value]));
    // Without a connection, nothing enforces the claimed length of the body.
    sent.delete("content-length");
    const request = new Request(url, {
      method,
      headers: sent,
      ...(body === null ? {} : { body: body as ReadableStream<Uint8Array<ArrayBuffer>> }),
    });
    const answer = await (answerOther?.(request) ?? handle(namespace, request));
    return {
      status: answer.status,
      statusText: answer.statusText,
      headers: [...answer.headers],
      body: answer.body,
      url,
      redirected: false,
    };
  };
}
