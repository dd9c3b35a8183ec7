/**
 * Requests that a site's own files alone cannot answer: pipelines of functions,
 * external rewrites, and the HTTP cache in front of both.
 *
 * @module
 */
export { DynamicResponder, isDynamic } from "./dynamic_responder.ts";
