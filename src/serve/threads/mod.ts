/**
 * Edges in threads of their own, which share the platform's ports.
 *
 * @module
 */
export { EdgeThreads, type EdgeThreadsOptions } from "./edge_threads.ts";
export { siteAnswers } from "./site_answers.ts";
