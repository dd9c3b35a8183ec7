/** @module Calls the public API for a page, in this process and with the visitor's session. */
import { type BlobSource, uploadBlobs } from "../../client/upload_blobs.ts";
import { ApiError } from "../../client/errors.ts";
import { type CallInput, createClient } from "../../client/client.ts";
import { type Bytes, fetchOctets, type StreamInput } from "../../client/query_events.ts";
import type { Endpoint, ResponseOf } from "../../contract/endpoint.ts";
import { type Client, Failure, type Router } from "../../platform/core/http/mod.ts";

export interface PageApi {
  /** Calls an endpoint. @throws {Failure} if the API rejects the call. */
  call<E extends Endpoint>(endpoint: E, input: CallInput<E>): Promise<ResponseOf<E>>;
  /** Like `call`, but also returns the response's ETag. */
  send<E extends Endpoint>(
    endpoint: E,
    input: CallInput<E>,
  ): Promise<{ readonly body: ResponseOf<E>; readonly etag: string | undefined }>;
  /** Uploads content to the workspace. */
  upload(blobs: readonly BlobSource[]): Promise<void>;
  /** Streams a call's binary response. The stream is closed when the visit ends. */
  stream<E extends Endpoint>(endpoint: E, input: StreamInput<E>): Promise<Bytes>;
}

/** Converts the API's error response back to the failure that its handler threw. */
function toFailure(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code === undefined) return error;
  const { code, message, problems, retryAfter } = error;
  return new Failure(code, message, {
    ...(problems.length === 0 ? {} : { problems }),
    ...(retryAfter === undefined ? {} : { retryAfter: Math.ceil(retryAfter / 1000) }),
    cause: error,
  });
}

async function refusable<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw toFailure(error);
  }
}

/**
 * Creates the API for one visit. Forms' origins have already been checked, so calls use the
 * platform's own origin.
 */
export function pageApi(
  router: Pick<Router, "fetch">,
  visit: { readonly request: Request; readonly client: Client },
): (workspace: string) => PageApi {
  const { request, client } = visit;
  const cookie = request.headers.get("cookie") ?? "";
  const { signal } = request;
  return (workspace) => {
    const api = createClient({
      baseUrl: new URL(request.url).origin,
      workspace,
      retries: { retries: 0, firstPause: 0, longestPause: 0 },
      fetch: (address, init) => {
        const inner = new Request(address, init);
        inner.headers.set("cookie", cookie);
        inner.headers.set("sec-fetch-site", "same-origin");
        return router.fetch(inner, client);
      },
    });
    return {
      call: (endpoint, input) => refusable(api.call(endpoint, input)),
      send: (endpoint, input) => refusable(api.send(endpoint, input)),
      upload: (blobs) => refusable(uploadBlobs(api, blobs, { signal })),
      stream: (endpoint, input) => {
        const ends = input.signal === undefined ? signal : AbortSignal.any([signal, input.signal]);
        return refusable(fetchOctets(api, endpoint, { ...input, signal: ends }));
      },
    };
  };
}
