/**
 * Protected previews: the access settings of a project's hosts, and sign-in to them.
 *
 * @module
 */
export { accessStateOf, AccessTable } from "./access_table.ts";
export { createPreviews } from "./create_previews.ts";
export { PREVIEW_SIGN_IN_PATH, PreviewSignIn } from "./preview_sign_in.ts";
