/** @module Names with which the program starts itself as a build process. */

/** First argument that makes the program a build process; the second is the path of its job. */
export const BUILD_PROCESS_ARGUMENT = "__build";

/** Variable of all build processes; its value identifies the platform. */
export const BUILD_MARK = "SVC_BUILD_MARK";

/** Passed instead of a job's path: the process only proves that the program can run here. */
export const BUILD_PROBE = "svc-probe";
