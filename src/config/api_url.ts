/**
 * Returns the canonical form of a platform's URL: without a trailing slash, query or fragment.
 * Throws `TypeError` for URLs that are not http(s), or that have a user or password.
 */
export function normalizeApiUrl(apiUrl: string): string {
  const url = URL.parse(apiUrl);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password !== "") {
    throw new TypeError(
      "Cannot use the API URL: it must be http:// or https:// without a user or password",
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** Returns whether a platform's URL has the canonical form. */
export function isApiUrl(text: string): boolean {
  try {
    return normalizeApiUrl(text) === text;
  } catch {
    return false;
  }
}
