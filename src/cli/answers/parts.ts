/** @module Schemas that are part of several results. */
import * as z from "zod";
import { getProject } from "../../contract/projects.ts";
import { getIdentity } from "../../contract/identity.ts";
import { getRules } from "../../contract/rules.ts";
import { getDeployment } from "../../contract/deployments.ts";

export const count = z.int().min(0);
export const text = z.string();
export const yes = z.literal(true);
export const anyObject = z.record(z.string(), z.unknown());

export const project = getProject.response;
export const workspace = getIdentity.response.shape.workspace;
export const user = getIdentity.response.shape.user;
export const environmentName = text.describe("Name of an environment");
export const framework = z.object({ id: text, name: text, version: text.optional() }).nullable()
  .describe("Null if none was detected");
export const nextCursor = z.string().nullable().describe("Null on the last page");

export const rulesInEffect = z.object({
  origin: getRules.response.shape.origin,
  revisionId: getRules.response.shape.revisionId,
}).nullable().describe("Rules of production; null if unknown");

/** A problem in a file, with its position and a hint. */
export const diagnostic = z.object({
  severity: z.enum(["error", "warning"]),
  code: text,
  message: text,
  path: text.describe("Field, such as `rules[3].condition.host`; empty for the whole document"),
  hint: text.optional(),
  position: z.object({ line: count, column: count, length: count.optional() }).optional(),
  ruleId: text.optional(),
});

/** The engine of a server, with the reason for it. */
export const server = z.object({
  layer: text,
  entry: text,
  engine: z.enum(["deno", "node", "command"]),
  reason: text.describe("Reason"),
  nodeVersion: text.optional(),
  packages: z.object({ count, files: count, bytes: count }).optional(),
});

export const manifest = anyObject.describe(
  "Manifest of the build output. Its schema is docs/schema/manifest.schema.json",
);
export const ruleSet = anyObject.describe(
  "Rule set. Its schema is docs/schema/rules.schema.json",
);

export const deployment = getDeployment.response;
