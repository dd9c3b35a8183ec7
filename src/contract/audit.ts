/** The audit log: the changes in a workspace, who made them, and from which IP address. @module */
import * as z from "zod";
import { page, pageQuery, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { CREDENTIAL_TYPES } from "./identity.ts";

/** How long an entry is kept, in days. */
export const AUDIT_DAYS = 90;
/** Maximum number of entries to keep per workspace. The oldest are deleted first. */
export const AUDIT_ENTRIES = 50_000;

/**
 * Credentials that can authorize a change. `platform` means that the platform itself made the
 * change.
 */
export const AUDIT_CREDENTIALS = [...CREDENTIAL_TYPES, "hook", "platform"] as const;

export const auditEntry = z.object({
  id: uuid.describe("ID of the entry"),
  at: timestamp.describe("Time of the change"),
  action: z.string().describe("API operation").meta({ example: "createApiKey" }),
  summary: z.string().describe("Summary of the operation").meta({ example: "Create an API key" }),
  path: z.string().describe("Path of the request").meta({
    example: "/v1/api-keys",
  }),
  project: z.string().nullable().describe(
    "Project of the request: the name or ID in the request, or the name of the project that the resource belongs to; null if none",
  ).meta({ example: "lanterns" }),
  user: z.object({
    id: uuid.describe("ID of the user"),
    name: z.string().meta({ description: "Name of the user", example: "shop" }),
  }).nullable().describe(
    "Account that made the change; null for a deploy hook",
  ),
  credential: z.object({
    type: z.enum(AUDIT_CREDENTIALS).describe("Type of the credential"),
    id: uuid.describe("ID of the credential"),
    name: z.string().meta({ description: "Name of the credential", example: "shop" }),
  }).describe("Credential of the request"),
  target: z.object({
    id: z.string().nullable().describe("ID of the subject; null if it has none"),
    name: z.string().nullable().meta({
      description: "Name of the subject; null if it has none",
      example: "shop",
    }),
  }).nullable().describe(
    "Resource that was created, changed or deleted, with its ID and name; null in entries from older versions",
  ).meta({ example: { id: "01940000-0000-7000-8000-000000000000", name: "ci" } }),
  changes: z.array(z.object({
    field: z.string().describe("Name of the field").meta({ example: "role" }),
    from: z.string().nullable().describe("Previous value; null if there was none")
      .meta({ example: "viewer" }),
    to: z.string().nullable().describe("New value; null if it was removed")
      .meta({ example: "developer" }),
  })).describe("Changed fields with their old and new values. Secrets are left out")
    .meta({ example: [{ field: "role", from: "viewer", to: "developer" }] }),
  address: z.string().describe("IP address of the request"),
  requestId: z.string().nullable().describe("ID of the request, as in its response"),
}).meta({ id: "AuditEntry" });
export type AuditEntry = z.infer<typeof auditEntry>;

export const listAudit = endpoint({
  method: "GET",
  path: "/v1/audit",
  summary: "List changes in the workspace, newest first",
  tag: "Security",
  access: "owner",
  query: pageQuery.extend({
    user: uuid.optional().describe("Only changes by this account"),
    action: z.string().max(60).optional().meta({
      description: "Only this operation",
      example: "createProject",
    }),
    project: z.string().max(60).optional().meta({
      description: "Only changes to this project",
      example: "shop",
    }),
  }),
  response: page(auditEntry).describe(
    "A page can have fewer entries than the limit, or none, before the last page. `nextCursor` tells whether there are more",
  ),
});
