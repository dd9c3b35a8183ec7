/** @module Tools for agents that change what visitors see, using existing deployments. */
import * as z from "zod";
import type { Client } from "../../client/client.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import {
  NEWER_SCHEMA_LIMIT,
  newerMigrations,
  newerSchemaText,
} from "../../contract/newer_schema.ts";
import { anyObject, defineTool, projectInput, type Surroundings, ToolFailure } from "../tool.ts";

/** Returns the later deployments whose migrations stay applied once an earlier one is live. */
async function newerThan(api: Client, project: string, to: string | undefined): Promise<string[]> {
  const { items } = await api.call(endpoints.listDeployments, {
    params: { project },
    query: { environment: ENVIRONMENT_PRODUCTION, limit: NEWER_SCHEMA_LIMIT },
  });
  return newerMigrations(items, to);
}

/** Describes a live deployment, and the newer schema that it uses, if any. */
const liveText = (text: string, newerSchema: readonly string[]): string =>
  newerSchema.length === 0 ? text : `${text}\n${newerSchemaText(newerSchema.length)}`;

export const rollback = defineTool({
  name: "rollback",
  title: "Roll production back",
  description: "Restores the previous production deployment with its files, functions, rules " +
    "and variables.",
  input: {
    ...projectInput,
    to: z.string().max(64).optional().describe("ID of the deployment to make live"),
  },
  output: { deployment: anyObject },
  effect: "destroy",
  async run({ project: given, to }, around) {
    const { api, project } = await around.open(given);
    const newerSchema = await newerThan(api, project.id, to);
    const { deployment, rolledBack } = await api.call(endpoints.rollback, {
      params: { project: project.id },
      body: to === undefined ? {} : { to },
    });
    return {
      text: liveText(`Deployment ${deployment.id} is live again`, newerSchema),
      data: { deployment, rolledBack, newerSchema },
      next: [{ tool: "status", arguments: { project: project.name }, why: "to see it" }],
    };
  },
});

/** Rejects a deployment outside the project that the agent is limited to. */
async function checkOwn(deployment: string, around: Surroundings): Promise<void> {
  if (around.project === undefined) return;
  const { api, project } = await around.open(undefined);
  const { projectId } = await api.call(endpoints.getDeployment, { params: { deployment } });
  if (projectId === project.id) return;
  throw new ToolFailure({
    error: `Project ${around.project} has no deployment ${deployment}`,
    code: "not_found",
  });
}

export const promote = defineTool({
  name: "promote",
  title: "Promote a deployment",
  description: "Promotes a deployment to production without a build.",
  input: { deployment: z.string().max(64).describe("Deployment ID, as shown by `status`") },
  output: { deployment: anyObject },
  effect: "destroy",
  isIdempotent: true,
  async run({ deployment: id }, around) {
    await checkOwn(id, around);
    const api = await around.api();
    const source = await api.call(endpoints.getDeployment, { params: { deployment: id } });
    const newerSchema = source.isPreview || source.isProduction
      ? []
      : await newerThan(api, source.projectId, id);
    const deployment = await api.call(endpoints.promoteDeployment, {
      params: { deployment: id },
      body: {},
    });
    const named = { project: deployment.project };
    return {
      text: liveText(`Deployment ${deployment.id} is live in production`, newerSchema),
      data: { deployment, newerSchema },
      next: [{ tool: "rollback", arguments: named, why: "to undo it" }],
    };
  },
});

interface PurgeInput {
  readonly path?: string | undefined;
  readonly prefix?: string | undefined;
  readonly tag?: string | undefined;
}

function scopeOf({ path, prefix, tag }: PurgeInput) {
  if ([path, prefix, tag].filter((each) => each !== undefined).length > 1) {
    throw new ToolFailure({ error: "Use only one of path, prefix and tag", code: "usage" });
  }
  if (path !== undefined) return { type: "path" as const, path };
  if (prefix !== undefined) return { type: "prefix" as const, prefix };
  return tag === undefined ? { type: "all" as const } : { type: "tag" as const, tag };
}

export const purgeCache = defineTool({
  name: "purge_cache",
  title: "Clear cached responses",
  description: "Clears cached responses at the edge: all, or by path, prefix or tag.",
  input: {
    ...projectInput,
    path: z.string().max(2048).optional(),
    prefix: z.string().max(2048).optional(),
    tag: z.string().max(200).optional(),
  },
  output: { purged: z.number() },
  effect: "write",
  isIdempotent: true,
  async run({ project: given, ...what }, around) {
    const body = scopeOf(what);
    const { api, project } = await around.open(given);
    const { purged } = await api.call(endpoints.purgeCache, {
      params: { project: project.id },
      body,
    });
    return { text: `Cleared ${purged}`, data: { purged } };
  },
});
