/** @module Determines how a browser will use the response to a request. */
import type { PagedRequest } from "../response/error_pages.ts";

/** Values of `Sec-Fetch-Dest` for a page's subresources (Fetch standard). */
const PARTS: ReadonlySet<string> = new Set(["script", "style", "image", "font", "worker"]);

/** Returns whether the browser wants a script, style, image, font or worker for a page. */
export const wantsSubresource = (request: Pick<PagedRequest, "header">): boolean =>
  PARTS.has(request.header("sec-fetch-dest") ?? "");

/** Returns whether the browser wants a page, rather than a subresource or data for a script. */
export const wantsDocument = (request: Pick<PagedRequest, "header">): boolean =>
  request.header("accept")?.includes("text/html") === true && !wantsSubresource(request);
