/** @module Limits of the build output manifest. */

export const MANIFEST_VERSION = 1;

/** The manifest's path below the output directory. */
export const MANIFEST_PATH = ".svc/manifest.json";

/**
 * Path of the list of symbolic links that servers on Node need for their packages:
 * `{"version":1,"links":{"<path>":"<relative target>"}}`.
 */
export const LINKS_PATH = ".svc/links.json";

export const MAX_LAYERS = 10;
export const MAX_ROUTES = 200;
export const MAX_NAME_LENGTH = 64;
export const MAX_DIRECTORY_LENGTH = 256;
export const MAX_ENTRY_LENGTH = 512;
export const MAX_PATTERN_LENGTH = 500;

/** Maximum size of `meta` as JSON, in UTF-8 bytes. */
export const MAX_META_BYTES = 16 * 1024;

/** Maximum size of a manifest, in UTF-8 bytes. */
export const MAX_MANIFEST_BYTES = 1024 * 1024;

/** Maximum nesting depth of objects and arrays in a manifest. */
export const MAX_MANIFEST_DEPTH = 64;

/** Maximum number of problems that are reported. A final line states how many more there are. */
export const MAX_PROBLEMS = 100;

export const DEFAULT_TIMEOUT_MS = 300_000;
export const MIN_TIMEOUT_MS = 100;
export const MAX_TIMEOUT_MS = 900_000;

export const DEFAULT_MEMORY_MB = 256;
export const MIN_MEMORY_MB = 64;
export const MAX_MEMORY_MB = 4096;

/** Default size of a server's folder for temporary files, in MiB. */
export const DEFAULT_TMP_MB = 64;
export const MAX_TMP_MB = 4096;

/** Maximum length of a shell command that starts a server, in characters. */
export const MAX_COMMAND_LENGTH = 8192;

/**
 * A shell command. It must not be blank, and must not contain NUL, because NUL ends an argument.
 */
// deno-lint-ignore no-control-regex -- excludes NUL on purpose
export const COMMAND = /^\s*[^\s\x00][^\x00]*$/;

/** Limits for an image's arguments, variables, names, values and folders. */
export const MAX_IMAGE_ARGUMENTS = 256;
export const MAX_IMAGE_VARIABLES = 512;
// deno-lint-ignore no-control-regex -- excludes NUL on purpose
export const WITHOUT_NUL = /^[^\x00]*$/;
// deno-lint-ignore no-control-regex -- excludes NUL on purpose
export const VARIABLE_NAME = /^[^=\x00]{1,256}$/;
// deno-lint-ignore no-control-regex -- excludes NUL on purpose
export const ABSOLUTE_PATH = /^\/[^\x00]*$/;

/** Default time limit for a server to start listening, in milliseconds. */
export const DEFAULT_START_TIMEOUT_MS = 30_000;
export const MIN_START_TIMEOUT_MS = 1000;
export const MAX_START_TIMEOUT_MS = 300_000;

/** Server engines: the Deno sandbox, Node, or any program started with a command. */
export const ENGINES = ["deno", "node", "command"] as const;

/** A version of Node, or its first components, such as `24`, `24.1` or `24.1.0`. */
export const NODE_VERSION = /^\d{1,3}(\.\d{1,4}){0,2}$/;

/** Maximum length of the path that is requested before a server goes live, in characters. */
export const MAX_HEALTH_LENGTH = 512;
export const HEALTH_PATH = /^\/[\x21-\x7e]*$/;

/** Maximum cache time for a route, in seconds: one year. */
export const MAX_REVALIDATE_SECONDS = 31_536_000;

/**
 * Maximum size of a compiled pattern: the number of steps and character ranges in its program.
 * Repetitions such as `{1000}` multiply this number.
 */
export const MAX_PATTERN_COST = 5_000;

/**
 * Maximum total excess cost of all patterns in a manifest. The excess is the cost beyond twice the
 * length of a pattern. It is close to zero for patterns without repetition counts or Unicode
 * classes.
 */
export const MAX_TOTAL_EXCESS_COST = 20_000;

export const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"] as const;

/** How long production keeps assets of earlier deployments by default, in seconds: 7 days. */
export const DEFAULT_KEEP_ASSETS_SECONDS = 7 * 86_400;

/** Maximum time for which assets of earlier deployments are kept, in seconds: 90 days. */
export const MAX_KEEP_ASSETS_SECONDS = 90 * 86_400;

/** How long a replaced deployment serves its pages by default, in seconds: 1 hour. */
export const DEFAULT_SKEW_SECONDS = 3600;

/** Maximum time for which a replaced deployment can serve its pages, in seconds: 7 days. */
export const MAX_SKEW_SECONDS = 7 * 86_400;

/** Maximum number of IDs that pages can use to identify their deployment. */
export const MAX_PAGE_IDS = 8;

/** The format of a page ID. */
export const PAGE_ID = /^[\w.:-]{1,128}$/;
