/**
 * The health of production's servers: looked at from time to time, and reported when it changes.
 *
 * @module
 */
export { createHealth } from "./create_health.ts";
