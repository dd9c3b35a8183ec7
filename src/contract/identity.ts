/** The caller and the workspace. @module */
import * as z from "zod";
import { page, pageQuery, slug, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { permissions } from "./permissions.ts";

/** Roles of a member, most powerful first. */
export const ROLES = ["owner", "developer", "viewer"] as const;
export const role = z.enum(ROLES);
export type Role = z.infer<typeof role>;

const WORKSPACE_SLUG_MAX = 40;
export const workspaceSlug = slug(WORKSPACE_SLUG_MAX);

/** Control characters, and characters that change the text direction. */
const UNSEEN = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

export const displayName = z.string().trim().min(1, "Must not be empty").max(
  100,
  "Must be at most 100 characters",
).refine((name) => !UNSEEN.test(name), "Must not contain control characters");

export const workspace = z.object({
  id: uuid.describe("ID of the workspace"),
  slug: workspaceSlug.meta({
    description: "Slug of the workspace in URLs and flags",
    example: "acme",
  }),
  name: z.string().meta({ description: "Name of the workspace", example: "Acme" }),
  role: role.meta({ description: "Role of the user in the workspace", example: "developer" }),
  createdAt: timestamp.describe("When the workspace was created"),
}).meta({ id: "Workspace" });
export type Workspace = z.infer<typeof workspace>;

/** Credentials of requests: a key, a CLI's token, a browser session. */
export const CREDENTIAL_TYPES = ["api_key", "access_token", "session"] as const;

export const identity = z.object({
  user: z.object({
    id: uuid.describe("ID of the user"),
    name: z.string().meta({ description: "Name of the user", example: "Ada Lovelace" }),
    email: z.string().nullable().meta({
      description: "Email address of the user; null if there is none",
      example: "ada@example.com",
    }),
  }).describe("User of the request"),
  workspace: workspace.pick({ id: true, slug: true, name: true, role: true }).describe(
    "Workspace of the request",
  ),
  credential: z.object({
    type: z.enum(CREDENTIAL_TYPES).describe("Type of the credential"),
    id: uuid.describe("ID of the credential"),
    name: z.string().meta({ description: "Name of the credential", example: "ci" }),
    prefix: z.string().nullable().describe(
      "First characters of the key or token, enough to recognize it; null for a session",
    ),
    createdAt: timestamp.describe("When the credential was created"),
  }).describe("Credential of the request"),
  grant: z.object({
    permissions: permissions.describe("Permissions of the key, within its role"),
    projects: z.array(uuid).nullable().describe("Projects that the key can access; null for all"),
    expiresAt: timestamp.nullable().describe("When the key expires; null if it does not expire"),
  }).nullable().default(null).describe("Grant of an API key; null for sessions and access tokens"),
}).meta({ id: "Identity" });
export type Identity = z.infer<typeof identity>;

export const getIdentity = endpoint({
  method: "GET",
  path: "/v1/me",
  summary: "Show the current user, workspace and credential",
  tag: "Identity",
  response: identity,
});

export const listWorkspaces = endpoint({
  method: "GET",
  path: "/v1/workspaces",
  summary: "List the current user's workspaces. A key sees only its own",
  tag: "Workspaces",
  access: "self",
  query: pageQuery,
  response: page(workspace),
});
