/**
 * What exists on the platform that an argument or flag can name: offered when a
 * shell completes it, and when a person omitted it.
 *
 * @module
 */
import { type Client, collectPages } from "../../client/mod.ts";
import { type Database, endpoints, PAGE_LIMIT_MAX, type Project } from "../../contract/mod.ts";
import { listBranches, listDatabases } from "../db/mod.ts";
import { listDomains } from "../domains/mod.ts";
import { listVariables } from "../env/mod.ts";
import { listEnvironments } from "../environments/mod.ts";
import { listHooks } from "../hooks/mod.ts";
import { listKeys } from "../keys/mod.ts";
import { findProject, openProjectFolder } from "../projects/mod.ts";
import type { Candidate, CandidateKind, Context } from "../session/mod.ts";
import { formatAge } from "../terminal/mod.ts";

/** Most candidates that are offered. */
const MAX_OFFERED = 100;

type OfProject = (client: Client, project: Project, now: number) => Promise<Candidate[]>;

/** The database that commands are about where none is named. */
async function usualDatabase(client: Client, project: Project): Promise<Database | undefined> {
  const databases = await listDatabases(client, project);
  return databases.find(({ autoInject }) => autoInject) ?? databases[0];
}

const OF_PROJECT: Partial<Record<CandidateKind, OfProject>> = {
  environment: async (client, project) =>
    (await listEnvironments(client, project)).map(({ name, url }) => ({
      value: name,
      ...(url === null ? {} : { hint: url }),
    })),
  async deployment(client, project, now) {
    const { items } = await collectPages(
      (query) => client.call(endpoints.listDeployments, { params: { project: project.id }, query }),
      { limit: MAX_OFFERED, pageSize: PAGE_LIMIT_MAX },
    );
    return items.map(({ id, status, environment, branch, createdAt }) => ({
      value: id,
      hint: `${status} ${environment} ${branch}, ${formatAge(createdAt, now)}`,
    }));
  },
  database: async (client, project) =>
    (await listDatabases(client, project)).map(({ name, engine, state }) => ({
      value: name,
      hint: `${engine}, ${state}`,
    })),
  "deleted-database": async (client, project, now) =>
    (await listDatabases(client, project, { deleted: true })).map(
      ({ name, deletedAt, createdAt }) => ({
        value: name,
        hint: `deleted ${formatAge(deletedAt ?? createdAt, now)}`,
      }),
    ),
  async "database-branch"(client, project) {
    const database = await usualDatabase(client, project);
    if (database === undefined) return [];
    return (await listBranches(client, database)).map(({ name, parent }) => ({
      value: name,
      ...(parent === null ? {} : { hint: `from ${parent}` }),
    }));
  },
  async "database-snapshot"(client, project, now) {
    const database = await usualDatabase(client, project);
    if (database === undefined) return [];
    const params = { project: project.id, database: database.id };
    const { items } = await client.call(endpoints.listDatabaseSnapshots, { params });
    return items.map(({ id, branch, createdAt }) => ({
      value: id,
      hint: `${branch}, ${formatAge(createdAt, now)}`,
    }));
  },
  domain: async (client, project) =>
    (await listDomains(client, project)).map(({ hostname }) => ({ value: hostname })),
  hook: async (client, project) =>
    (await listHooks(client, project)).map(({ id, name }) => ({ value: id, hint: name })),
  async variable(client, project) {
    const variables = await listVariables(client, project);
    return [...new Set(variables.map(({ key }) => key))].map((value) => ({ value }));
  },
};

const OF_WORKSPACE: Partial<Record<CandidateKind, (client: Client) => Promise<Candidate[]>>> = {
  async project(client) {
    const { items } = await collectPages(
      (query) => client.call(endpoints.listProjects, { query }),
      { limit: MAX_OFFERED, pageSize: PAGE_LIMIT_MAX },
    );
    return items.map(({ name, url }) => ({ value: name, hint: url }));
  },
  async workspace(client) {
    const { items } = await collectPages(
      (query) => client.call(endpoints.listWorkspaces, { query }),
      { limit: MAX_OFFERED, pageSize: PAGE_LIMIT_MAX },
    );
    return items.map(({ slug, name }) => ({ value: slug, hint: name }));
  },
  "api-key": async (client) =>
    (await listKeys(client)).map(({ id, name, prefix }) => ({
      value: id,
      hint: `${name} ${prefix}…`,
    })),
  async webhook(client) {
    const { items } = await client.call(endpoints.listWebhooks, { query: {} });
    return items.map(({ id, url }) => ({ value: id, hint: url }));
  },
};

/**
 * Looks up what a word can name. `given` is the value of `--project-id` where
 * there is one; else `svc.toml` says which project it is.
 */
export async function listCandidates(
  ctx: Context,
  kind: CandidateKind,
  given?: string,
): Promise<readonly Candidate[]> {
  const { config } = await openProjectFolder(ctx);
  const client = ctx.client({ phase: "projects" });
  const ofWorkspace = OF_WORKSPACE[kind];
  if (ofWorkspace !== undefined) return await ofWorkspace(client);
  const reference = given ?? config?.project.id ?? config?.project.name;
  const project = reference === undefined ? undefined : await findProject(client, reference);
  return project === undefined ? [] : await OF_PROJECT[kind]?.(client, project, ctx.now()) ?? [];
}
