/**
 * Protected previews: access settings for a project's hosts, and sign-in to those hosts.
 *
 * @module
 */
export { accessStateOf, AccessTable } from "./access_table.ts";
export { createPreviews } from "./create_previews.ts";
export { PREVIEW_SIGN_IN_PATH, PreviewSignIn } from "./preview_sign_in.ts";
