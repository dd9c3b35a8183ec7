/** Names of environments that every project has, in a file without costly schemas. @module */

export const ENVIRONMENT_PRODUCTION = "production";
export const ENVIRONMENT_PREVIEW = "preview";
