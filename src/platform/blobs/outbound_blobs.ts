/**
 * How functions reach their blob store: a name that only their `fetch` knows.
 *
 * @module
 */
import type { OutboundFetch } from "../../runtime/mod.ts";

const HOST = "blobs.internal";
/** Origin at which functions reach the endpoint. */
export const BLOBS_ORIGIN = `http://${HOST}`;

/** Has requests to the blob stores answered here, and all others by `outbound`. */
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
