/**
 * The health of production's servers: checked regularly, and reported when it
 * changes.
 *
 * @module
 */
export { createHealth } from "./create_health.ts";
