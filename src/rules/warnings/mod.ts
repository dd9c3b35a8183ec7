/**
 * What is no error in a rule set but most likely not meant.
 *
 * @module
 */
export { OPEN_FOLDER_PAGE, warnFolderPages } from "./folder_page.ts";
export { warnRedirectLoops } from "./redirect_loops.ts";
export { warnUnreachable } from "./unreachable.ts";
export { warnRule } from "./warn_rules.ts";
