/** @module Limits for published functions. */

/** Valid names of functions. */
export const FUNCTION_NAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

export const MAX_NAME_LENGTH = 64;

/** Maximum number of functions per project. */
export const MAX_FUNCTIONS = 100;

/** Maximum size of a bundle, including its source map, in bytes. */
export const MAX_BUNDLE_BYTES = 4 * 1024 * 1024;
