/**
 * The edge's own responses: their form, their error pages, and how their header
 * fields are written.
 *
 * @module
 */
export { applyHeaderEdits, type EdgeResponse } from "./edge_response.ts";
export { edgePage, type PagedRequest, type PageWords, UNKNOWN_HOST } from "./error_pages.ts";
export { emptyStream, hasNoContent, noContent } from "./no_content.ts";
export { writeFields } from "./response_fields.ts";
