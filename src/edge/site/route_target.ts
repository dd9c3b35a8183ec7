/** @module The request path that routes are matched against. */
import type { Decision } from "../../rules/mod.ts";
import type { RequestTarget } from "../compute/compute_request.ts";
import { findHeader } from "../messages/header_list.ts";
import { isReading } from "../messages/messages.ts";
import type { ClientRequest } from "../request/client_request.ts";
import { isLastingAsset } from "../static/cache_control.ts";
import type { Site } from "./site.ts";
import { isObjectPath } from "./site_objects.ts";
import { wantsDocument, wantsSubresource } from "./wanted_content.ts";

interface Decided {
  readonly clientRequest: ClientRequest;
  readonly site: Pick<Site, "content" | "objects">;
  readonly decision: Decision;
}

/**
 * Returns the path and query to route, after an internal rewrite. A rewrite with `ifNoFile` does
 * not replace a missing script or other subresource with a document. Clients choose the headers
 * that this decision depends on, but skipping the rewrite can only lead to a path that nothing
 * serves.
 */
export function targetOf({ clientRequest, site, decision: { rewrite } }: Decided): RequestTarget {
  const { path, rawQuery: query } = clientRequest;
  if (rewrite?.type !== "internal") return { path, query };
  const isPart = wantsSubresource(clientRequest) ||
    (!wantsDocument(clientRequest) && isLastingAsset(path));
  return rewrite.ifNoFile === true && isPart && isReading(clientRequest.method) &&
      site.content.resolve("GET", path).type === "missing" && !isObjectPath(site, path) &&
      isDocument(site, rewrite.path)
    ? { path, query }
    : rewrite;
}

function isDocument({ content }: Pick<Site, "content">, path: string): boolean {
  const found = content.resolve("GET", path);
  if (found.type !== "file" && found.type !== "moved") return false;
  return findHeader(found.file.plain.headers, "content-type")?.startsWith("text/html") === true;
}
