/**
 * @module The request for an image's source, on behalf of a visitor. The response must not
 * reveal more than an anonymous request would.
 */
import { ClientRequest } from "../request/client_request.ts";

/**
 * The `Accept` value for servers and other sites. AVIF and WebP are not listed, because such images
 * are already small and lossy.
 */
export const SOURCE_ACCEPT = "image/*";

/**
 * Request headers that are not sent to the source: credentials, conditions for another
 * representation, and connection-specific fields.
 */
const WITHHELD =
  /^(?:cookie|authorization|proxy-|accept$|accept-encoding$|if-|range$|content-|upgrade$|connection$|sec-websocket-|te$|trailer$|transfer-|expect$|max-forwards$|cache-control$|pragma$|x-forwarded-|forwarded$)/;

/**
 * The visitor's request for the source, without credentials. Rules see the visitor's address,
 * country and other fields, but functions and servers do not.
 */
export class SourceRequest extends ClientRequest {
  readonly #visitor: ClientRequest;

  constructor(visitor: ClientRequest, url: URL) {
    const headers: Record<string, string> = { accept: SOURCE_ACCEPT };
    const via = visitor.header("via");
    if (via !== null) headers.via = via;
    super(new Request(url, { headers }), visitor.id, {
      connection: { remoteAddress: visitor.ip, scheme: visitor.scheme },
      lookups: {
        geo: { country: () => visitor.country() },
        asn: { asn: () => visitor.asn() },
      },
    });
    this.#visitor = visitor;
  }

  override header(name: string): string | null {
    const own = super.header(name);
    return own !== null || WITHHELD.test(name) ? own : this.#visitor.header(name);
  }
}
