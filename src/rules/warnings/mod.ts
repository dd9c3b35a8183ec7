/**
 * What is valid in a rule set but most likely a mistake.
 *
 * @module
 */
export { warnDeadConditions } from "./dead_conditions.ts";
export { OPEN_FOLDER_PAGE, warnFolderPages } from "./folder_page.ts";
export { warnRedirectLoops } from "./redirect_loops.ts";
export { warnUnreachable } from "./unreachable.ts";
export { warnRule } from "./warn_rule.ts";
