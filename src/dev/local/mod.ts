/**
 * What a platform, or a mail server, gives to the project's code, on this computer.
 *
 * @module
 */
export { type CaughtMail, decodeWords } from "./caught_mail.ts";
export { type LocalServices, openLocalServices } from "./local_services.ts";
