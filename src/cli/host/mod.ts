/**
 * The process around the program: its streams, signals, environment and browser.
 * Nothing else touches them.
 *
 * @module
 */
export { createHost } from "./create_host.ts";
export { createWriter } from "./stream_writer.ts";
export { createTrustedFetch } from "./trusted_fetch.ts";
