/**
 * The page of a deployment.
 *
 * @module
 */
export { bindDeploymentPages, type DeploymentPageServices } from "./deployment_routes.ts";
