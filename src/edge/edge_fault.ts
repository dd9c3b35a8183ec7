/** @module The response to a failure of the edge or of something behind it. */
import { UnavailableError } from "../lib/unavailable_error.ts";
import type { HeaderList } from "./messages/header_list.ts";
import { edgePage, type PagedRequest } from "./response/error_pages.ts";
import type { EdgeResponse } from "./response/edge_response.ts";

/** Whether an error is temporary: something is unavailable at the moment. */
export function isPassing(error: unknown): boolean {
  return error instanceof UnavailableError;
}

/** Returns a page with status 503 for a temporary failure, and 500 for any other failure. */
export function edgeFault(
  request: PagedRequest,
  error: unknown,
  common: HeaderList = [],
): EdgeResponse {
  if (!(error instanceof UnavailableError)) return edgePage(request, 500, { headers: common });
  const retryAfter: HeaderList = [["retry-after", String(error.retryAfter)]];
  return edgePage(request, 503, { headers: [...retryAfter, ...common] });
}
