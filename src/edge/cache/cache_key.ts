/**
 * The primary key: host, deployment, method, path, query, what answers, and the
 * dimensions that the rule varies by.
 *
 * @module
 */
import type { CacheRequest, CacheRule } from "./types.ts";

/** A part with its length before it, so that no two lists of parts make the same key. */
function part(text: string | undefined): string {
  return text === undefined ? "-" : `${text.length}:${text}`;
}

function parts(texts: readonly (string | undefined)[]): string {
  return `${texts.length}[${texts.map(part).join("")}]`;
}

/**
 * A dimension of a request. `header` and `cookie` mean the names in the rule's
 * condition; `cookie` without any means the whole `Cookie` field. `query` adds
 * nothing: the whole query is in every key.
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
 * The key under which answers to a request are kept. Requests with the same key
 * share answers, as far as `Vary` lets them. `HEAD` is answered from `GET`.
 *
 * Neither the name of a deployment nor a host nor a path holds a space, so
 * spaces part them; the rest has its length before it.
 */
export function cacheKey(request: CacheRequest, rule: CacheRule): string {
  const { deploymentId, host, path, rawQuery, originKey = "" } = request;
  let key = `${deploymentId} ${host} ${path} ${rawQuery.length}:${rawQuery}${originKey}`;
  if (rule.vary.length > 0) key = `${key.length}:${key}`;
  for (const name of rule.vary) key += `;${name}${dimension(request, rule, name)}`;
  return key;
}
