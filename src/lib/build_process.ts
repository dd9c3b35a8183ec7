/** @module Names with which the program starts itself as a build process. */

/** First argument that makes the program a build process; the second is the path of its job. */
export const BUILD_PROCESS_ARGUMENT = "__build";

/** Variable that all processes of builds carry; its value identifies the platform. */
export const BUILD_MARK = "SVC_BUILD_MARK";

/** Instead of a job: only show that the program can run here. */
export const BUILD_PROBE = "svc-probe";
