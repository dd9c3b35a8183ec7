/**
 * Completion in a shell, and the question for an argument that a person left out.
 *
 * @module
 */
export { askMissing, missingArgument, withArgument } from "./ask_missing.ts";
export { complete } from "./complete.ts";
export { COMPLETE, COMPLETION } from "./group.ts";
