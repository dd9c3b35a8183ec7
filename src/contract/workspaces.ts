/** Workspaces, their members and invitations. @module */
import * as z from "zod";
import { page, pageQuery, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { displayName, role, workspace, workspaceSlug } from "./identity.ts";

const tag = "Workspaces";

export const createWorkspace = endpoint({
  method: "POST",
  path: "/v1/workspaces",
  summary: "Create a workspace. You become its owner",
  tag,
  access: "account",
  body: z.object({
    slug: workspaceSlug.meta({
      description: "Slug of the workspace in URLs and flags",
      example: "acme",
    }),
    name: displayName.meta({ description: "Name of the workspace", example: "Acme" }),
  }).strict(),
  response: workspace,
  status: 201,
});

export const renameWorkspace = endpoint({
  method: "PATCH",
  path: "/v1/workspace",
  summary: "Rename the workspace. Its slug does not change",
  tag,
  access: "owner",
  body: z.object({
    name: displayName.meta({ description: "Name of the workspace", example: "Acme" }),
  }).strict(),
  response: workspace,
});

export const member = z.object({
  userId: uuid.describe("ID of the member's account"),
  name: z.string().meta({ description: "Name of the member", example: "Ada Lovelace" }),
  email: z.string().nullable().meta({
    description: "Email address of the member; null if there is none",
    example: "ada@example.com",
  }),
  role: role.meta({ description: "Role of the member", example: "developer" }),
  joinedAt: timestamp.describe("When the member joined"),
}).meta({ id: "Member" });
export type Member = z.infer<typeof member>;

const memberParams = z.object({ user: uuid.describe("ID of the member") });

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
  summary: "Change a member's role. The last owner must remain an owner",
  tag,
  access: "owner",
  params: memberParams,
  body: z.object({
    role: role.meta({ description: "Role in the workspace", example: "developer" }),
  }).strict(),
  response: member,
});

export const removeMember = endpoint({
  method: "DELETE",
  path: "/v1/members/{user}",
  summary: "Remove a member and revoke their keys and tokens. The last owner cannot be removed",
  tag,
  access: "owner",
  params: memberParams,
  status: 204,
});

export const leaveWorkspace = endpoint({
  method: "POST",
  path: "/v1/workspace/leave",
  summary: "Leave the workspace. The last owner cannot leave",
  tag,
  access: "viewer",
  status: 204,
});

export const invitation = z.object({
  id: uuid.describe("ID of the invitation"),
  role: role.meta({ description: "Role of the invited person", example: "developer" }),
  invitedBy: uuid.describe("User who created the invitation"),
  createdAt: timestamp.describe("When the invitation was created"),
  expiresAt: timestamp.describe("When the invitation expires"),
}).meta({ id: "Invitation" });
export type Invitation = z.infer<typeof invitation>;

export const createInvitation = endpoint({
  method: "POST",
  path: "/v1/invitations",
  summary: "Create an invitation link for one person. It is shown only once",
  tag,
  access: "owner",
  body: z.object({
    role: role.meta({ description: "Role of the invited person", example: "developer" }),
  }).strict(),
  response: invitation.extend({
    url: z.url().meta({
      description: "Invitation URL for one person; shown only once",
      example: "https://svc.example.net/invitations/mJ6c0p8b2xQk4sT7wZr9",
    }),
  }),
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
  params: z.object({ invitation: uuid.describe("ID of the invitation") }),
  status: 204,
});

export const acceptInvitation = endpoint({
  method: "POST",
  path: "/v1/invitations/accept",
  summary: "Accept an invitation",
  refusals: [404],
  tag,
  access: "account",
  body: z.object({
    token: z.string().min(1).max(200).meta({
      description: "Token of the invitation",
      example: "mJ6c0p8b2xQk4sT7wZr9Lf3Hn5Vd1Ya",
    }),
  }).strict(),
  response: workspace,
});
