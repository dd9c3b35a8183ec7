/**
 * @module Keeps the runtime from compressing responses.
 *
 * `Deno.serve` in Deno 2.7 compresses every response if the client accepts it, repeats the work for
 * each request, and makes the `ETag` weak. No option turns this off. The edge sends files as
 * uploaded, including precompressed ones, and `If-Match` needs the strong `ETag` of an API response
 * (docs/decisions/runtime.md).
 */
import { addField, hasField, type RawField } from "./raw_fields.ts";

const MARK: RawField = ["content-encoding", "identity"];

/**
 * Marks a response as already encoded. All other markers that the runtime respects have side
 * effects: `no-transform` would also affect caches. The runtime compresses only responses with a
 * `Content-Type`. Responses with immutable fields, such as redirects, have no `Content-Type`.
 */
function markAsEncoded(request: Request, response: Response): Response {
  const { headers } = response;
  if (hasField(headers, "content-type") && !hasField(headers, "content-encoding")) {
    if (hasField(request.headers, "accept-encoding")) addField(headers, MARK);
  }
  return response;
}

type Answer = Response | Promise<Response>;

/** Returns a handler for `Deno.serve` whose responses the runtime does not compress. */
export function keepUncompressed<Info>(
  handler: (request: Request, info: Info) => Answer,
): (request: Request, info: Info) => Answer {
  return (request, info) => {
    const answer = handler(request, info);
    return answer instanceof Promise
      ? answer.then((response) => markAsEncoded(request, response))
      : markAsEncoded(request, answer);
  };
}
