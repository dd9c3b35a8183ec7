/** @module `/_svc/blobs/<key>`: public objects of the project's blob store. */
import type { ServerRequest } from "../compute/compute_request.ts";
import { findHeader, type HeaderList } from "../messages/header_list.ts";
import { isReading } from "../messages/messages.ts";
import { edgePage } from "../response/error_pages.ts";
import { type EdgeResponse, HARMLESS } from "../response/edge_response.ts";

const OBJECTS_PATH = "/_svc/blobs/";

/**
 * The only type that does not get the policy {@link HARMLESS}, because PDF viewers need more
 * permissions. The value must match exactly, because browsers use the last type if the field
 * contains several.
 */
const PDF = "application/pdf";

export type ObjectAnswer = Pick<EdgeResponse, "status" | "headers" | "body" | "bytes">;

export interface SiteObjects {
  /** Serves an object. Returns `undefined` if no public object has this key. */
  answer(
    key: string,
    request: { readonly method: string; header(name: string): string | null },
  ): Promise<ObjectAnswer | undefined>;
}

/** Returns whether a path on the site refers to an object of the blob store. */
export const isObjectPath = (
  { objects }: { readonly objects?: SiteObjects | undefined },
  path: string,
): boolean => objects !== undefined && path.startsWith(OBJECTS_PATH);

/**
 * Returns the key in a normalized path, or `undefined` if the path contains an invalid escape or an
 * escaped slash. An escaped slash is rejected because rules treat it differently, and a key must
 * not have two paths.
 */
function keyOf(path: string): string | undefined {
  const text = path.slice(OBJECTS_PATH.length);
  if (text.includes("%2F")) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

export async function respondWithObject(
  { objects, common }: { readonly objects: SiteObjects; readonly common: HeaderList },
  request: ServerRequest,
  path: string,
): Promise<EdgeResponse> {
  if (!isReading(request.method)) {
    return edgePage(request, 405, { headers: [["allow", "GET, HEAD"], ...common] });
  }
  const key = keyOf(path);
  const answer = key === undefined ? undefined : await objects.answer(key, request);
  if (answer === undefined) {
    return { ...edgePage(request, 404, { headers: common }), isCurrent: true };
  }
  const { headers } = answer;
  const guard = findHeader(headers, "content-type") === PDF ? [] : [HARMLESS];
  return {
    ...answer,
    isCurrent: true,
    headers: [
      ...headers,
      ...guard,
      ["x-content-type-options", "nosniff"],
      ...common,
    ],
  };
}
