/**
 * Notifications, their preferences, and the events that raise them.
 *
 * @module
 */
export { NOTIFICATIONS, TRIGGER } from "./group.ts";
