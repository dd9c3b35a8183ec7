/**
 * Gives functions access to their blob store through a hostname that works only in their `fetch`.
 *
 * @module
 */
import type { OutboundFetch } from "../../runtime/mod.ts";

const HOST = "blobs.internal";
/** Origin of the endpoint for functions. */
export const BLOBS_ORIGIN = `http://${HOST}`;

/** Handles requests to blob stores itself, and passes all other requests to `outbound`. */
export function outboundToBlobs(
  handle: (request: Request) => Promise<Response>,
  outbound: OutboundFetch,
): OutboundFetch {
  return async (asked) => {
    if (!asked.url.startsWith(`${BLOBS_ORIGIN}/`)) return await outbound(asked);
    const { method, url, headers, body } = asked;
    const response = await handle(
      new Request(url, { method, headers: headers.map(([name, value]) => [name, value]), body }),
    );
    return {
      status: response.status,
      statusText: response.statusText,
      headers: [...response.headers],
      body: response.body,
      url,
      redirected: false,
    };
  };
}
