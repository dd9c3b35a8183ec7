/** @module Names that the program uses to start itself as a build process. */

/**
 * First argument that makes the program a build process. The second argument is the path of its
 * job.
 */
export const BUILD_PROCESS_ARGUMENT = "__build";

/** Environment variable of all build processes. The value identifies the platform. */
export const BUILD_MARK = "SVC_BUILD_MARK";

/**
 * Passed instead of a job's path. With it, the process only proves that the program can run here.
 */
export const BUILD_PROBE = "svc-probe";
