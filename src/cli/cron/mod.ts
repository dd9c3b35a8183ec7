/**
 * Scheduled tasks of what is live in production.
 *
 * @module
 */
export { CRON } from "./group.ts";
