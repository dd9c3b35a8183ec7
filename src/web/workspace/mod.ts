/**
 * The pages of workspaces: members, invitations and API keys.
 *
 * @module
 */
export { bindWorkspacePages, type WorkspacePageServices } from "./workspace_routes.ts";
