/**
 * Signs of servers and of other platforms in a project that nothing else detects: such a project
 * is never published as a static site unless its author says so.
 *
 * @module
 */
export { functionLine } from "./function_signs.ts";
export { findProjectSigns, sourcesOf } from "./project_signs.ts";
export { describeSign, refuseSigns } from "./refuse_signs.ts";
export type { ProjectSign } from "./types.ts";
