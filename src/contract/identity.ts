/**
 * Who is calling, and in which workspace.
 *
 * @module
 */
import { z } from "zod";
import { page, pageQuery, slug, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";

export const ROLES = ["owner", "developer", "viewer"] as const;

export const workspace = z.object({
  id: uuid,
  slug: slug(40),
  name: z.string(),
  role: z.enum(ROLES),
  createdAt: timestamp,
}).meta({ id: "Workspace" });
export type Workspace = z.infer<typeof workspace>;

export const identity = z.object({
  user: z.object({ id: uuid, name: z.string(), email: z.string().nullable() }),
  workspace: workspace.pick({ id: true, slug: true, name: true, role: true }),
  credential: z.object({
    type: z.enum(["api_key"]),
    id: uuid,
    name: z.string(),
    /** The first characters of the key, enough to recognise it. */
    prefix: z.string(),
    createdAt: timestamp,
  }),
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
  summary: "List the workspaces of the current user",
  tag: "Workspaces",
  query: pageQuery,
  response: page(workspace),
});
