/**
 * Names of environments that every project has, in a file of their own, because schemas are slow to
 * load.
 * @module
 */

export const ENVIRONMENT_PRODUCTION = "production";
export const ENVIRONMENT_PREVIEW = "preview";
