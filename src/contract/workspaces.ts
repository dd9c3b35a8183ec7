/**
 * Workspaces, their members and the invitations to them. All but the first
 * and the last two speak of the workspace that the request is for.
 *
 * @module
 */
import * as z from "zod";
import { page, pageQuery, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { displayName, role, workspace, workspaceSlug } from "./identity.ts";

const tag = "Workspaces";

export const createWorkspace = endpoint({
  method: "POST",
  path: "/v1/workspaces",
  summary: "Create a workspace; who creates it owns it",
  tag,
  access: "account",
  body: z.object({ slug: workspaceSlug, name: displayName }).strict(),
  response: workspace,
  status: 201,
});

export const renameWorkspace = endpoint({
  method: "PATCH",
  path: "/v1/workspace",
  summary: "Change the workspace's display name; its slug stays",
  tag,
  access: "owner",
  body: z.object({ name: displayName }).strict(),
  response: workspace,
});

export const member = z.object({
  userId: uuid,
  name: z.string(),
  email: z.string().nullable(),
  role,
  joinedAt: timestamp,
}).meta({ id: "Member" });
export type Member = z.infer<typeof member>;

const memberParams = z.object({ user: uuid });

export const listMembers = endpoint({
  method: "GET",
  path: "/v1/members",
  summary: "List the members of the workspace",
  tag,
  query: pageQuery,
  response: page(member),
});

export const changeMember = endpoint({
  method: "PATCH",
  path: "/v1/members/{user}",
  summary: "Change a member's role; the last owner stays owner",
  tag,
  access: "owner",
  params: memberParams,
  body: z.object({ role }).strict(),
  response: member,
});

export const removeMember = endpoint({
  method: "DELETE",
  path: "/v1/members/{user}",
  summary: "Remove a member, with the keys and tokens that act for them; not the last owner",
  tag,
  access: "owner",
  params: memberParams,
  status: 204,
});

export const leaveWorkspace = endpoint({
  method: "POST",
  path: "/v1/workspace/leave",
  summary: "Leave the workspace; the last owner cannot",
  tag,
  access: "viewer",
  status: 204,
});

export const invitation = z.object({
  id: uuid,
  role,
  invitedBy: uuid.describe("User who invites"),
  createdAt: timestamp,
  expiresAt: timestamp,
}).meta({ id: "Invitation" });
export type Invitation = z.infer<typeof invitation>;

export const createInvitation = endpoint({
  method: "POST",
  path: "/v1/invitations",
  summary: "Make a link that lets one person join, once; it is shown this once",
  tag,
  access: "owner",
  body: z.object({ role }).strict(),
  response: invitation.extend({ url: z.url() }),
  status: 201,
});

export const listInvitations = endpoint({
  method: "GET",
  path: "/v1/invitations",
  summary: "List the open invitations",
  tag,
  access: "owner",
  query: pageQuery,
  response: page(invitation),
});

export const deleteInvitation = endpoint({
  method: "DELETE",
  path: "/v1/invitations/{invitation}",
  summary: "Withdraw an invitation",
  tag,
  access: "owner",
  params: z.object({ invitation: uuid }),
  status: 204,
});

export const acceptInvitation = endpoint({
  method: "POST",
  path: "/v1/invitations/accept",
  summary: "Join the workspace that an invitation is for",
  refusals: [404],
  tag,
  access: "account",
  body: z.object({ token: z.string().min(1).max(200) }).strict(),
  response: workspace,
});
