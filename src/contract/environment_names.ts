/**
 * Names of environments that every project has. They stand alone, so that who needs a name
 * does not build the schemas of deployments.
 *
 * @module
 */

export const ENVIRONMENT_PRODUCTION = "production";
export const ENVIRONMENT_PREVIEW = "preview";
