/**
 * Questions to a person at a terminal.
 *
 * @module
 */
export { createPlainPrompter, type Keyboard } from "./plain_prompter.ts";
export { createClackPrompter, type Prompter } from "./prompter.ts";
export { startWorkTime } from "./work_time.ts";
