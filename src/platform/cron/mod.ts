/**
 * Scheduled tasks: requests that the platform sends to the server of what is live
 * in production, at the times that the deployment declares.
 *
 * @module
 */
export { createCron } from "./create_cron.ts";
export { type Minutes } from "./minutes.ts";
