/**
 * API keys: how automation acts in a workspace.
 *
 * @module
 */
import * as z from "zod";
import { page, pageQuery, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { displayName, role } from "./identity.ts";
import { MAX_KEY_PROJECTS, permissions } from "./permissions.ts";

const tag = "API keys";

/** Requests that one key may make in an hour (spec: "Limits"). */
export const API_KEY_REQUESTS_PER_HOUR = 5000;

const description = z.string().trim().max(500, "Must have at most 500 characters");
/** Longest text of a time, in characters. */
const MAX_TIME = 40;
const expiry = timestamp.max(MAX_TIME).nullable();
const projects = z.array(uuid).min(1).max(MAX_KEY_PROJECTS).nullable();

export const apiKey = z.object({
  id: uuid,
  name: z.string(),
  prefix: z.string().describe("The first characters of the key, enough to recognise it"),
  role: role.describe("Most that the key may do; it never may more than the member who made it"),
  permissions: permissions.describe("What the key may do, within its role"),
  projects: z.array(uuid).nullable().describe("The projects that it reaches; null for all"),
  description: z.string(),
  expiresAt: timestamp.nullable().describe("When it stops working; null for never"),
  publisherId: uuid.nullable().describe(
    "Trusted publisher that got it; null for keys that people made",
  ).meta({ example: null }),
  createdBy: uuid,
  createdAt: timestamp,
  lastUsedAt: timestamp.nullable().describe("To the minute; null where the key was never used"),
  lastAddress: z.string().nullable().describe("Where it was last used from"),
}).meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof apiKey>;

export const createApiKey = endpoint({
  method: "POST",
  path: "/v1/api-keys",
  summary: "Create an API key of the workspace; the key is shown this once",
  tag,
  access: "owner",
  body: z.object({
    name: displayName,
    role: role.default("developer"),
    permissions: permissions.default(["everything"]),
    projects: projects.default(null),
    description: description.default(""),
    expiresAt: expiry.default(null),
  }).strict(),
  response: apiKey.extend({ key: z.string() }),
  status: 201,
});

export const listApiKeys = endpoint({
  method: "GET",
  path: "/v1/api-keys",
  summary: "List the API keys of the workspace by prefix and last use",
  tag,
  access: "owner",
  query: pageQuery,
  response: page(apiKey),
});

export const updateApiKey = endpoint({
  method: "PATCH",
  path: "/v1/api-keys/{key}",
  summary: "Change what an API key may do, its name, or when it expires",
  tag,
  access: "owner",
  params: z.object({ key: uuid }),
  body: z.object({
    name: displayName,
    permissions,
    projects,
    description,
    expiresAt: expiry,
  }).partial().strict(),
  response: apiKey,
});

export const revokeApiKey = endpoint({
  method: "DELETE",
  path: "/v1/api-keys/{key}",
  summary: "Revoke an API key",
  tag,
  access: "owner",
  params: z.object({ key: uuid }),
  status: 204,
});
