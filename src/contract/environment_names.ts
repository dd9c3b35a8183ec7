/**
 * Names of the environments that every project has. They are in a separate file without schemas,
 * which are slow to load.
 * @module
 */

export const ENVIRONMENT_PRODUCTION = "production";
export const ENVIRONMENT_PREVIEW = "preview";

/** The environments that every project has, which cannot be deleted. */
export const BUILT_IN_ENVIRONMENTS: readonly string[] = [
  ENVIRONMENT_PRODUCTION,
  ENVIRONMENT_PREVIEW,
];
