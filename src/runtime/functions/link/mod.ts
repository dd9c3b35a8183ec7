/**
 * Links from edge threads to functions: the platform starts, bounds and ends their
 * processes, and threads call them in workers of their own.
 *
 * @module
 */
export {
  type FetchTarget,
  type FunctionLease,
  FunctionLinks,
  type LendingHost,
} from "./function_links.ts";
export { LinkedFunctions, type LinkedFunctionsOptions } from "./linked_functions.ts";
