/**
 * Responses to HTTP-01 challenges (RFC 8555, 8.3) while orders are pending.
 *
 * @module
 */

const PREFIX = "/.well-known/acme-challenge/";

export class Http01Challenges {
  private readonly pending = new Map<string, string>();

  add(token: string, keyAuthorization: string): void {
    this.pending.set(token, keyAuthorization);
  }

  remove(token: string): void {
    this.pending.delete(token);
  }

  /** The response to a pending challenge; `undefined` for all other requests. */
  answer(url: string): Response | undefined {
    if (this.pending.size === 0) return undefined;
    const path = url.indexOf("/", url.indexOf("//") + 2);
    if (path === -1 || !url.startsWith(PREFIX, path)) return undefined;
    const authorization = this.pending.get(url.slice(path + PREFIX.length));
    if (authorization === undefined) return undefined;
    return new Response(authorization, {
      headers: { "content-type": "application/octet-stream", "cache-control": "no-store" },
    });
  }
}
