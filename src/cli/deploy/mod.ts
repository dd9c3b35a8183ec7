/**
 * Deployments: making them, and choosing what production shows.
 *
 * @module
 */
export { BUILD, DEPLOY, DEPLOYMENTS, PROMOTE, ROLLBACK, STOP } from "./group.ts";
