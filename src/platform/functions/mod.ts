/**
 * Functions of deployments: sealed when they are received, run beside their site.
 *
 * @module
 */
export { createFunctions } from "./create_functions.ts";
