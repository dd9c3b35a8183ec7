/**
 * The pages of notifications: the inbox, what is sent, and over which channels.
 *
 * @module
 */
export { bindChannelPages, type ChannelPageServices } from "./channel_routes.ts";
export { bindInboxPages, type InboxPageServices } from "./inbox_routes.ts";
export { bindUnsubscribe } from "./unsubscribe_routes.tsx";
