/** @module Results of the commands that build, deploy and serve a project. */
import * as z from "zod";
import { endpoints as e } from "../../contract/endpoints.ts";
import type { Answers } from "./answers.ts";
import {
  count,
  deployment,
  environmentName,
  framework,
  manifest,
  nextCursor,
  project,
  ruleSet,
  rulesInEffect,
  server,
  text,
  yes,
} from "./parts.ts";

const transfer = z.object({ files: count, bytes: count });
const newerSchema = z.array(text).describe(
  "IDs of later deployments whose migration changed the database's schema",
);
const address = text.nullable().describe("Null if none is running");

const dryRun = z.object({
  dryRun: z.literal(true),
  project,
  environment: environmentName,
  branch: text,
  outputDirectory: text,
  manifest,
  servers: z.array(server),
  rules: ruleSet.nullable(),
  files: z.array(z.object({ path: text, sha256: text, size: count })),
  functions: z.array(text),
  bytes: count,
  missing: count.describe("Number of files to upload"),
});

export const DEPLOYMENT_ANSWERS: Answers = {
  "dev": z.object({
    url: text,
    port: count,
    command: text.nullable(),
    environment: environmentName.nullable(),
    inspector: address,
    functionsInspector: address,
  }),
  "build": z.object({
    command: text.nullable(),
    framework,
    outputDirectory: text,
    manifest,
    manifestGenerated: z.boolean(),
    servers: z.array(server),
    rules: count.nullable(),
    validated: z.boolean(),
    files: count,
    bytes: count,
  }),
  "preview": z.object({
    url: text,
    port: count,
    files: count,
    functions: z.array(text),
    environment: environmentName.nullable(),
  }),
  "deploy": z.union([
    deployment.omit({ error: true }).extend({
      uploaded: transfer,
      reused: transfer,
      rulesInEffect,
    }),
    dryRun.describe("with --dry-run"),
  ]),
  "deployments list": z.object({ deployments: e.listDeployments.response.shape.items, nextCursor }),
  "previews show": z.object({ previews: e.getPreviewAccess.response }),
  "previews set": z.object({ previews: e.updatePreviewAccess.response }),
  "previews share": z.object({
    url: e.createShare.response.shape.url,
    share: e.createShare.response.omit({ url: true }),
  }),
  "previews list": z.object({ shares: e.listShares.response.shape.items }),
  "previews revoke": z.object({ revoked: yes, id: text }),
  "previews password": z.object({ previews: e.updatePreviewAccess.response }),
  "previews bypass": z.union([
    z.object({ key: e.createBypassKey.response.shape.key }),
    z.object({ removed: yes }).describe("with --remove"),
  ]),
  "maintenance on": z.object({ previews: e.updatePreviewAccess.response }),
  "maintenance off": z.object({ previews: e.updatePreviewAccess.response }),
  "promote": z.object({ deployment, rulesInEffect: rulesInEffect.nullable(), newerSchema }),
  "stop": z.object({ deployment }),
  "releases list": z.object({ releases: e.listReleases.response.shape.items }),
  "releases finish": z.object({ release: e.finishRelease.response }),
  "releases withdraw": z.object({ release: e.withdrawRelease.response }),
  "rollback": e.rollback.response.extend({ rulesInEffect, newerSchema }),
  "cache purge": e.purgeCache.response,
  "functions list": z.object({ deploymentId: text, functions: z.array(text) }),
  "logs": z.union([
    z.object({
      entries: e.listLogs.response.shape.items,
      nextCursor,
      missingNodes: e.listLogs.response.shape.missingNodes,
    }),
    z.object({ deployment: text }).extend(e.getBuildLog.response.shape).describe("with --build"),
  ]),
  "traffic": z.object({ traffic: e.getTraffic.response }),
  "errors list": z.object({ errors: e.listErrors.response.shape.items }),
  "errors show": z.object({ details: e.getError.response }),
  "drains list": z.object({
    drains: z.union([
      e.listDrains.response.shape.items,
      e.listPlatformDrains.response.shape.items,
    ]),
    missingNodes: e.listDrains.response.shape.missingNodes,
  }),
  "drains add": z.object({ drain: e.createDrain.response }),
  "drains remove": z.object({ removed: z.literal(true) }),
  "drains test": e.testDrain.response,
  "cron list": z.object({ tasks: e.listCronTasks.response.shape.items }),
  "cron run": z.object({ run: e.runCronTask.response }),
  "queues list": z.object({ queues: e.listQueues.response.shape.items }),
  "queues show": z.object({
    queue: e.listQueues.response.shape.items.element,
    messages: e.listQueueMessages.response.shape.items,
  }),
  "queues send": z.object({ message: e.sendQueueMessage.response }),
  "queues retry": z.object({ queue: text, retried: z.int() }),
  "queues purge": z.object({ queue: text, state: text, removed: z.int() }),
  "forms list": z.object({
    forms: e.listForms.response.shape.items,
    hasRoom: e.listForms.response.shape.hasRoom,
  }),
  "forms submissions": z.object({ submissions: e.listFormSubmissions.response.shape.items }),
  "forms export": z.object({ submissions: e.listFormSubmissions.response.shape.items }),
  "forms delete": z.object({ form: text, removed: z.int() }),
};

/** Schemas of the lines that streaming commands print. */
export const DEPLOYMENT_LINES: Answers = {
  "logs": z.union([
    e.followLogs.response,
    e.getBuildLog.response.shape.lines.element.describe("with --build"),
  ]),
};
