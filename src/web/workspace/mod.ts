/**
 * The pages of workspaces: members and invitations.
 *
 * @module
 */
export { bindWorkspacePages, type WorkspacePageServices } from "./workspace_routes.ts";
