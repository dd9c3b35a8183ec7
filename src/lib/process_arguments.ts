/** @module First arguments that select a child process of the program. */

/** Runs functions. */
export const FUNCTION_PROCESS_ARGUMENT = "__function-process";

/** Runs a server on the program's own runtime. */
export const COMPUTE_PROCESS_ARGUMENT = "__compute-process";

/** Converts images. */
export const IMAGE_PROCESS_ARGUMENT = "__image-process";

/** Runs a server on Node. */
export const NODE_PROCESS_ARGUMENT = "__node-process";

/** Runs a server that is any other program. */
export const COMMAND_PROCESS_ARGUMENT = "__command-process";

/** Decides which sandbox Node gets. */
export const NODE_PROBE_ARGUMENT = "__node-probe";

/** Looks for a newer release of the program. */
export const RELEASE_CHECK_ARGUMENT = "__check-release";

/** Serves requests together with the platform, on its port. */
export const EDGE_PROCESS_ARGUMENT = "__edge";

/** Serves an embedded database. */
export const DATABASE_PROCESS_ARGUMENT = "__database-process";

/** Creates a backup of a running platform. */
export const BACKUP_PROCESS_ARGUMENT = "__backup";
