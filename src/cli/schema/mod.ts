/**
 * JSON Schemas of what the commands print.
 *
 * @module
 */
export { SCHEMA } from "./group.ts";
