/**
 * The pages of a person's own account: security, sessions, tools and activity.
 *
 * @module
 */
export { type AccountPageServices, bindAccountPages } from "./account_routes.ts";
export { bindEmailPages, type EmailPageServices } from "./email_routes.ts";
