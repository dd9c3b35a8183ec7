/** Workspaces, their members and invitations. @module */
export { createWorkspaces } from "./create_workspaces.ts";
export { type OpenInvitation, WorkspaceService } from "./workspace_service.ts";
