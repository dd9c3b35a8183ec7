/** @module The primary cache key: deployment, host, path, query, origin, and the rule's `vary`. */
import type { CacheRequest, CacheRule } from "./types.ts";

/**
 * Returns a part of a key, prefixed with its length. Different lists of parts therefore never
 * produce the same key.
 */
function part(text: string | undefined): string {
  return text === undefined ? "-" : `${text.length}:${text}`;
}

function parts(texts: readonly (string | undefined)[]): string {
  return `${texts.length}[${texts.map(part).join("")}]`;
}

/**
 * Returns the value of a dimension in a request. `header` and `cookie` are the names in the rule's
 * condition. If the condition names no cookie, `cookie` means the whole `Cookie` field. `query`
 * adds nothing, because the whole query is part of every key.
 */
function dimension(
  request: CacheRequest,
  rule: CacheRule,
  name: CacheRule["vary"][number],
): string {
  const { headers, cookies } = rule.varyNames;
  switch (name) {
    case "geo":
      return part(request.country());
    case "asn":
      return part(request.asn()?.toString());
    case "device":
      return part(request.device());
    case "header":
      return parts(headers.map((field) => request.header(field)?.trim()));
    case "cookie":
      return cookies.length === 0
        ? part(request.header("cookie"))
        : cookies.map((cookie) => parts(request.cookie(cookie))).join("");
    case "query":
      return "";
  }
}

/**
 * Returns the key under which responses to a request are stored. Requests with the same key share
 * responses if `Vary` allows this. `HEAD` requests are served from responses to `GET`.
 *
 * Deployment ID, host and path contain no space, so spaces separate them. The other parts are
 * prefixed with their length.
 */
export function cacheKey(request: CacheRequest, rule: CacheRule): string {
  const { deploymentId, host, path, rawQuery, originKey = "" } = request;
  let key = `${deploymentId} ${host} ${path} ${rawQuery.length}:${rawQuery}${originKey}`;
  if (rule.vary.length > 0) key = `${key.length}:${key}`;
  for (const name of rule.vary) key += `;${name}${dimension(request, rule, name)}`;
  return key;
}
