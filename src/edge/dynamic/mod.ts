/**
 * Requests that more than a site's own files answer: pipelines of functions,
 * external rewrites, and the HTTP cache in front of both.
 *
 * @module
 */
export { DynamicResponder, isDynamic } from "./dynamic_responder.ts";
