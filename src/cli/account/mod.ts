/**
 * Logins and workspaces.
 *
 * @module
 */
export { LOGIN, LOGOUT, WHOAMI, WORKSPACE } from "./group.ts";
