/**
 * Deployments: making them, and choosing what production shows.
 *
 * @module
 */
export { createBuildHost, explainBuild } from "./build_host.ts";
export { BUILD, DEPLOY, DEPLOYMENTS, PROMOTE, ROLLBACK, STOP } from "./group.ts";
export { sendDeployment } from "./send_deployment.ts";
