/** API keys: how automation acts in a workspace. @module */
import * as z from "zod";
import { page, pageQuery, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { displayName, role } from "./identity.ts";
import { MAX_KEY_PROJECTS, permissions } from "./permissions.ts";

const tag = "API keys";

/** Maximum number of requests per key and hour. */
export const API_KEY_REQUESTS_PER_HOUR = 5000;

const description = z.string().trim().max(500, "Must be at most 500 characters");
/** Maximum length of a timestamp, in characters. */
const MAX_TIME = 40;
const expiry = timestamp.max(MAX_TIME).nullable();
const projects = z.array(uuid).min(1).max(MAX_KEY_PROJECTS).nullable();
const keyParams = z.object({ key: uuid.describe("ID of the API key") });

/** Fields that can be set when a key is created, and changed later. */
const settings = z.object({
  name: displayName.meta({ description: "Name of the key", example: "ci" }),
  permissions: permissions.meta({
    description: "Permissions of the key, within its role",
    example: ["deploy-previews"],
  }),
  projects: projects.meta({
    description: "IDs of the projects that the key can access; null for all",
    example: ["019abf2e-7c4d-7e1a-9b3f-5d6c7a8b9e02"],
  }),
  description: description.meta({
    description: "Description of the key",
    example: "For the nightly run",
  }),
  expiresAt: expiry.meta({
    description: "When the key expires; null if it does not expire",
    example: null,
  }),
});

export const apiKey = z.object({
  id: uuid.describe("ID of the API key"),
  name: z.string().meta({ description: "Name of the key", example: "ci" }),
  prefix: z.string().describe("First characters of the key, enough to recognize it"),
  role: role.describe(
    "Upper limit of what the key can do. It can never do more than the member who created it",
  ),
  permissions: permissions.describe("Permissions of the key, within its role"),
  projects: z.array(uuid).nullable().describe("Projects that the key can access; null for all"),
  description: z.string().meta({
    description: "Description of the key",
    example: "For the nightly run",
  }),
  expiresAt: timestamp.nullable().describe("When the key expires; null if it does not expire"),
  publisherId: uuid.nullable().describe(
    "Trusted publisher that got the key; null for keys created by people",
  ).meta({ example: null }),
  createdBy: uuid.describe("ID of the member who created it"),
  createdAt: timestamp.describe("When the API key was created"),
  lastUsedAt: timestamp.nullable().describe(
    "When the key was last used, to the minute; null if never",
  ),
  lastAddress: z.string().nullable().describe("IP address that last used the key"),
}).meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof apiKey>;

export const createApiKey = endpoint({
  method: "POST",
  path: "/v1/api-keys",
  summary: "Create an API key. The key is shown only once",
  tag,
  access: "owner",
  body: z.object({
    name: settings.shape.name,
    role: role.default("developer").meta({ description: "Role of the key", example: "developer" }),
    permissions: settings.shape.permissions.default(["everything"]),
    projects: settings.shape.projects.default(null),
    description: settings.shape.description.default(""),
    expiresAt: settings.shape.expiresAt.default(null),
  }).strict(),
  response: apiKey.extend({
    key: z.string().meta({
      description: "The API key; shown only once",
      example: "svc_kX2v9Qm4Zr7Tb1Lw5Nc8Hd3Fg6Js0Ya",
    }),
  }),
  status: 201,
});

export const listApiKeys = endpoint({
  method: "GET",
  path: "/v1/api-keys",
  summary: "List the workspace's API keys",
  tag,
  access: "owner",
  query: pageQuery,
  response: page(apiKey),
});

export const updateApiKey = endpoint({
  method: "PATCH",
  path: "/v1/api-keys/{key}",
  summary: "Update an API key: its permissions, projects, name or expiry",
  tag,
  access: "owner",
  params: keyParams,
  body: settings.partial().strict(),
  response: apiKey,
});

export const revokeApiKey = endpoint({
  method: "DELETE",
  path: "/v1/api-keys/{key}",
  summary: "Revoke an API key",
  tag,
  access: "owner",
  params: keyParams,
  status: 204,
});
