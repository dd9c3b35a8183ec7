/**
 * What the codes of errors mean.
 *
 * @module
 */
export { EXPLAIN } from "./group.ts";
export { remedyOf } from "./remedy_of.ts";
