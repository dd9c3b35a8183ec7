/** Branches of databases, and their snapshots. @module */
import * as z from "zod";
import { timestamp, uuid } from "./common.ts";
import {
  DATABASE_PATH as path,
  DATABASE_STATES,
  DATABASE_TAG as tag,
  databaseParams,
  MAIN_BRANCH,
} from "./databases.ts";
import { endpoint } from "./endpoint.ts";
import { branchName } from "./projects.ts";

/** Maximum time until a branch expires, in seconds: one year. */
export const BRANCH_TTL_MAX = 31_536_000;

export const databaseBranch = z.object({
  id: z.string().describe("16 hexadecimal digits"),
  name: branchName.meta({ description: "Name of the branch", example: "feature/cart" }),
  parent: z.string().nullable().describe("Branch that it was copied from; null for `main`"),
  state: z.enum(DATABASE_STATES).describe("State of the branch"),
  reason: z.string().nullable().describe("Why the branch failed and what to do; null otherwise"),
  running: z.boolean().describe(
    "Whether it is running. A sleeping branch starts when a client connects",
  ),
  connections: z.int().describe("Clients connected now"),
  sizeBytes: z.int().nullable().describe("Size on disk in bytes; null while unknown"),
  gitBranch: z.string().nullable().describe("Git branch whose previews use it"),
  createdAt: timestamp.describe("When the branch was created"),
  resetAt: timestamp.nullable().describe("When it was last reset to its parent"),
  expiresAt: timestamp.nullable().describe(
    "When it expires and is deleted; null if it does not expire",
  ),
}).meta({ id: "DatabaseBranch" });
export type DatabaseBranch = z.infer<typeof databaseBranch>;

const createBranchBody = z.object({
  name: branchName.meta({ description: "Name of the new branch", example: "feature/cart" }),
  from: branchName.default(MAIN_BRANCH).meta({ description: "Branch to copy", example: "main" }),
  at: timestamp.max(40).nullable().optional().meta({
    description:
      "Copy the branch as it was at this time, within the range of the database's `history`; null for the current data",
    example: null,
  }),
  ttlSeconds: z.int().min(60).max(BRANCH_TTL_MAX).optional().meta({
    description: "Seconds until the branch is deleted; never if omitted",
    example: 86400,
  }),
}).strict();

const databaseSnapshot = z.object({
  id: uuid.describe("ID of the snapshot"),
  branch: branchName.meta({ description: "Branch of the snapshot", example: "main" }),
  sizeBytes: z.int().meta({ description: "Size in bytes", example: 41943040 }),
  kind: z.enum(["daily", "manual"]).describe(
    "`daily` if the platform created it, `manual` if a person did",
  ),
  createdAt: timestamp.describe("When the snapshot was created"),
}).meta({ id: "DatabaseSnapshot" });
export type DatabaseSnapshot = z.infer<typeof databaseSnapshot>;

/** A branch in a path is percent-encoded because it can contain slashes. */
const branchParams = databaseParams.extend({
  branch: branchName.meta({ description: "Name of the branch", example: "feature/cart" }),
});
export const listDatabaseBranches = endpoint({
  method: "GET",
  path: `${path}/branches`,
  summary: "List a database's branches, `main` first",
  tag,
  params: databaseParams,
  response: z.object({ items: z.array(databaseBranch).describe("The branches") }),
});

export const createDatabaseBranch = endpoint({
  method: "POST",
  path: `${path}/branches`,
  summary: "Create a branch as a copy of another branch",
  tag,
  params: databaseParams,
  body: createBranchBody,
  response: databaseBranch,
  status: 201,
});

export const deleteDatabaseBranch = endpoint({
  method: "DELETE",
  path: `${path}/branches/{branch}`,
  summary: "Delete a branch and its data",
  tag,
  params: branchParams,
  status: 204,
});

export const resetDatabaseBranch = endpoint({
  method: "POST",
  path: `${path}/branches/{branch}/reset`,
  summary: "Reset a branch to its parent",
  tag,
  params: branchParams,
  response: databaseBranch,
});

export const SCHEMA_KINDS = [
  "table",
  "column",
  "index",
  "constraint",
  "function",
  "view",
  "sequence",
  "trigger",
  "type",
] as const;
export type SchemaKind = (typeof SCHEMA_KINDS)[number];

/** Maximum number of differences in a response. */
export const MAX_SCHEMA_CHANGES = 1000;

const schemaChange = z.object({
  change: z.enum(["added", "removed", "changed"]).describe(
    "`added` if only the branch has it, `removed` if only the other branch has it",
  ),
  kind: z.enum(SCHEMA_KINDS).describe("Kind of the object"),
  name: z.string().meta({
    description: "Name with its schema and table",
    example: "public.orders.note",
  }),
  from: z.string().nullable().describe("Definition in the other branch; null if it is not there"),
  to: z.string().nullable().describe("Definition in the branch; null if it is not there"),
});
export type SchemaChange = z.infer<typeof schemaChange>;

export const diffDatabaseBranch = endpoint({
  method: "GET",
  path: `${path}/branches/{branch}/diff`,
  summary: "Compare the schemas of two branches",
  tag,
  params: branchParams,
  query: z.object({
    against: branchName.default(MAIN_BRANCH).meta({
      description: "Branch to compare with",
      example: "main",
    }),
  }),
  response: z.object({
    branch: z.string().describe("Name of the branch"),
    against: z.string().describe("Branch that it was compared with"),
    changes: z.array(schemaChange).max(MAX_SCHEMA_CHANGES).describe(
      "Differences from `against` to the branch; empty if the schemas are equal",
    ),
    truncated: z.boolean().describe(
      `True if there are more than ${MAX_SCHEMA_CHANGES} differences`,
    ),
  }).meta({ id: "SchemaDiff" }),
});

export const listDatabaseSnapshots = endpoint({
  method: "GET",
  path: `${path}/snapshots`,
  summary: "List a database's snapshots, newest first",
  tag,
  params: databaseParams,
  response: z.object({ items: z.array(databaseSnapshot).describe("The snapshots") }),
});

export const createDatabaseSnapshot = endpoint({
  method: "POST",
  path: `${path}/snapshots`,
  summary: "Create a snapshot of a branch",
  tag,
  params: databaseParams,
  body: z.object({
    branch: branchName.default(MAIN_BRANCH).meta({
      description: "Branch to save",
      example: "main",
    }),
  }).strict(),
  response: databaseSnapshot,
  status: 201,
});

export const restoreDatabaseSnapshot = endpoint({
  method: "POST",
  path: `${path}/snapshots/{snapshot}/restore`,
  summary: "Restore a snapshot, to a new branch or to the branch it was taken from",
  tag,
  params: databaseParams.extend({ snapshot: uuid.describe("ID of the snapshot") }),
  body: z.object({
    branch: branchName.meta({
      description: "Branch to replace, or to create",
      example: "restored",
    }),
  }).strict(),
  response: databaseBranch,
});

export const deleteDatabaseSnapshot = endpoint({
  method: "DELETE",
  path: `${path}/snapshots/{snapshot}`,
  summary: "Delete a snapshot",
  tag,
  params: databaseParams.extend({ snapshot: uuid.describe("ID of the snapshot") }),
  status: 204,
});
