/**
 * The overview of a workspace: its projects, and what they show.
 *
 * @module
 */
export { bindOverview, type OverviewServices } from "./overview_routes.ts";
