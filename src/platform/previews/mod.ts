/**
 * Protected previews: who may visit the hosts of a project, and the ways in.
 *
 * @module
 */
export { accessStateOf, AccessTable } from "./access_table.ts";
export { createPreviews } from "./create_previews.ts";
export { PREVIEW_SIGN_IN_PATH, PreviewSignIn } from "./preview_sign_in.ts";
