/** @module Results of the commands for domains, databases, key-value stores and accounts. */
import * as z from "zod";
import { endpoints as e } from "../../contract/endpoints.ts";
import type { Answers } from "./answers.ts";
import { count, nextCursor, text, user, workspace, yes } from "./parts.ts";

const domain = e.getDomain.response.shape.domain;
const database = e.getDatabase.response;
const branch = e.createDatabaseBranch.response;
const snapshot = e.createDatabaseSnapshot.response;
const connection = e.getDatabaseConnection.response;
const branchName = text.describe("Name of the branch");
const databaseName = text.describe("Name of the database");
const apiKey = e.updateApiKey.response;
const publisher = e.createPublisher.response;
const expiresAt = text.nullable().describe("When it expires; null if it does not expire");
const apiUrl = text.describe("URL of the platform");

const queryResult = z.object({
  columns: z.array(z.object({ key: text, name: text, type: text })).optional()
    .describe("Left out if the statement has no result"),
  rows: z.array(z.record(z.string(), z.unknown())).optional(),
  command: text,
  rowCount: count.nullable(),
});

export const DATA_ANSWERS: Answers = {
  "domains list": z.object({ domains: e.listDomains.response.shape.items }),
  "domains add": e.addDomain.response,
  "domains remove": z.object({ removed: yes, domain }),
  "domains verify": e.verifyDomain.response,
  "db list": z.object({ databases: z.array(database) }),
  "db create": z.object({ database }),
  "db info": z.object({ database }),
  "db delete": z.object({ deleted: yes, database }),
  "db undelete": z.object({ database }),
  "db start": z.object({ database }),
  "db stop": z.object({ database }),
  "db connection": connection,
  "db query": z.object({
    database: databaseName,
    branch: branchName,
    results: z.array(queryResult),
  }),
  "db schema": z.object({ database: databaseName, branch: branchName, schema: text }),
  "db diff": e.diffDatabaseBranch.response.extend({ database: databaseName }),
  "db branches list": z.object({ branches: z.array(branch) }),
  "db branches create": z.object({ branch }),
  "db branches delete": z.object({ deleted: yes, branch }),
  "db branches connection": connection,
  "db branches reset": z.object({ branch }),
  "db config": database.pick({
    autoInject: true,
    envVar: true,
    environments: true,
    previewBranches: true,
  }).extend({ database }),
  "db export": z.object({ database: databaseName, branch: branchName, file: text, bytes: count }),
  "db import": z.object({ database: databaseName, branch: branchName, statements: count }),
  "db snapshots list": z.object({ snapshots: z.array(snapshot) }),
  "db snapshots create": z.object({ snapshot }),
  "db snapshots restore": z.object({ branch, snapshot }),
  "db snapshots delete": z.object({ deleted: yes, snapshot }),
  "db move": z.object({ database }),
  "blobs ls": z.object({
    environment: text,
    folders: e.listBlobs.response.shape.folders,
    objects: e.listBlobs.response.shape.items,
    isCut: z.boolean().describe("Whether there are more rows than the limit"),
  }),
  "blobs get": z.object({ key: text, file: text, bytes: count }),
  "blobs put": z.object({ key: text, environment: text, etag: text }),
  "blobs rm": z.object({ deleted: z.array(text), environment: text }),
  "blobs cp": z.object({ object: e.copyBlob.response }),
  "blobs sign": e.signBlob.response,
  "blobs keys list": z.object({ keys: e.listBlobKeys.response.shape.items }),
  "blobs keys create": z.object({ key: e.createBlobKey.response }),
  "blobs keys revoke": z.object({
    revoked: yes,
    key: e.listBlobKeys.response.shape.items.element,
  }),
  "kv get": z.object({
    key: text,
    value: z.unknown().describe("Text, JSON or base64, according to `encoding`"),
    encoding: text,
    contentType: text,
    size: count,
    version: text,
    expiresAt,
  }),
  "kv set": z.object({ key: text, contentType: text, size: count, version: text }),
  "kv remove": z.object({ key: text, removed: z.boolean() }),
  "kv list": z.object({
    items: z.array(z.object({ key: text, size: count, version: text, expiresAt })),
  }),
  "kv clear": z.object({ removed: count }),
  "workspace list": z.object({
    workspaces: e.listWorkspaces.response.shape.items,
    current: text.nullable(),
  }),
  "workspace switch": z.object({ workspace: e.listWorkspaces.response.shape.items.element }),
  "keys list": z.object({ keys: z.array(apiKey) }),
  "keys create": z.object({ apiKey, key: text.describe("The key, shown only once") }),
  "keys update": z.object({ apiKey }),
  "keys revoke": z.object({ revoked: yes, apiKey }),
  "keys publishers list": z.object({ publishers: z.array(publisher) }),
  "keys publishers add": z.object({ publisher }),
  "keys publishers remove": z.object({ removed: yes, publisher }),
  "audit": z.object({ entries: e.listAudit.response.shape.items, nextCursor }),
  "usage": z.object({ usage: e.listUsage.response.shape.items }),
  "login": z.object({ user, workspace, apiUrl }),
  "logout": z.object({
    loggedOut: z.array(z.object({
      workspace: text,
      token: z.enum(["revoked", "gone", "kept", "unknown"]),
    })),
    apiUrl,
  }),
  "whoami": e.getIdentity.response.extend({
    workspaceSource: text.describe("Where the workspace was set"),
    apiUrl,
  }),
};
