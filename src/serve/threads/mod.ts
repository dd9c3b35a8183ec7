/**
 * Edges in threads of their own, which share the platform's ports.
 *
 * @module
 */
export { EdgeThreads } from "./edge_threads.ts";
export type { EdgeThreadsOptions } from "./threads_options.ts";
export { siteAnswers } from "./site_answers.ts";
