/**
 * Webhooks, and what was delivered to them.
 *
 * @module
 */
export { WEBHOOKS } from "./group.ts";
