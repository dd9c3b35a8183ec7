/**
 * API keys of a workspace.
 *
 * @module
 */
export { listKeys } from "./show_keys.ts";
export { KEYS } from "./group.ts";
