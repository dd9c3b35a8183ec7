/**
 * Names of the environments that every project has. They are in a separate file without schemas,
 * which are slow to load.
 * @module
 */

export const ENVIRONMENT_PRODUCTION = "production";
export const ENVIRONMENT_PREVIEW = "preview";
