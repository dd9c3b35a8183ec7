/**
 * Errors of projects: exceptions and 5xx of functions and servers, grouped by what
 * they have in common.
 *
 * @module
 */
export { createErrors } from "./create_errors.ts";
export { ErrorTable } from "./error_table.ts";
