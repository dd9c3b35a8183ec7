/**
 * Reads the key that git sends as the password in HTTP basic authentication (RFC 7617). Pure.
 *
 * @module
 */

/**
 * Returns the key in a request's credentials; `undefined` if there is no key. Accepts any username.
 */
export function basicPassword(request: Request): string | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]{1,4096}={0,2})$/i
    .exec(request.headers.get("authorization") ?? "")?.[1];
  if (encoded === undefined) return undefined;
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.fromBase64(encoded));
  } catch {
    return undefined;
  }
  const colon = text.indexOf(":");
  const password = colon === -1 ? "" : text.slice(colon + 1);
  return /^[\x21-\x7e]+$/.test(password) ? password : undefined;
}

/** Converts a request and its key to the form that the API authenticates, for a workspace. */
export function asBearer(request: Request, key: string, workspace: string): Request {
  return new Request(request.url, {
    headers: { authorization: `Bearer ${key}`, "x-workspace": workspace },
  });
}
