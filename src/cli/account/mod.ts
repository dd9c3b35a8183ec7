/**
 * Logins and workspaces.
 *
 * @module
 */
export { GIT_CREDENTIAL, LOGIN, LOGOUT, WHOAMI, WORKSPACE } from "./group.ts";
