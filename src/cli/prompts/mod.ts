/**
 * Questions to a person at a terminal.
 *
 * @module
 */
export type { Keyboard } from "./keys.ts";
export { createPlainPrompter } from "./plain_prompter.ts";
export { createClackPrompter, type Prompter } from "./prompter.ts";
export { startWorkTime } from "./work_time.ts";
