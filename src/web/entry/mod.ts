/**
 * The pages before sign-in: sign-in, sign-up, and the links in mails.
 *
 * @module
 */
export { bindEntryPages, type EntryPageServices } from "./entry_routes.ts";
export { landingPage } from "./landing_page.tsx";
export { bindMailLinkPages, type MailLinkPageServices } from "./mail_link_routes.ts";
export { MESSENGER_ENTRY_PATH } from "./messenger_entry_pages.tsx";
export { bindMessengerEntry } from "./messenger_entry_routes.ts";
