/** @module Names of the files from which tools read environment variables. */

/**
 * Matches the name of an environment file, such as `.env`, `.env.local` or `.envrc`. These files
 * are never deployed. It is the source of a regular expression without anchors.
 */
export const ENV_FILE = String.raw`\.env(?:rc|\.[^/]*)?`;
