/** @module Names of existing resources on the platform, for shell completion and prompts. */
import type { Client } from "../../client/client.ts";
import { collectPages } from "../../client/collect_pages.ts";
import type { Database } from "../../contract/databases.ts";
import { listDeployments } from "../../contract/deployments.ts";
import { listDatabaseSnapshots } from "../../contract/database_branches.ts";
import { listWorkspaces } from "../../contract/identity.ts";
import { listDrains } from "../../contract/drains.ts";
import { listWebhooks } from "../../contract/webhooks.ts";
import { PAGE_LIMIT_MAX } from "../../contract/common.ts";
import { listProjects, type Project } from "../../contract/projects.ts";
import { listBranches, listDatabases } from "../db/open_database.ts";
import { listDomains } from "../domains/project_domains.ts";
import { listVariables } from "../env/project_variables.ts";
import { listEnvironments } from "../environments/choose_environment.ts";
import { listHooks } from "../hooks/project_hooks.ts";
import { listKeys } from "../keys/show_keys.ts";
import { findProject } from "../projects/resolve_project.ts";
import { openProjectFolder } from "../projects/project_folder.ts";
import type { Candidate, CandidateKind } from "../session/candidate.ts";
import type { Context } from "../session/context.ts";
import { formatAge } from "../terminal/format.ts";

/** Maximum number of candidates to offer. */
const MAX_OFFERED = 100;

type OfProject = (client: Client, project: Project, now: number) => Promise<Candidate[]>;

/** Returns the database that commands use by default. */
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
      (query) => client.call(listDeployments, { params: { project: project.id }, query }),
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
    const { items } = await client.call(listDatabaseSnapshots, { params });
    return items.map(({ id, branch, createdAt }) => ({
      value: id,
      hint: `${branch}, ${formatAge(createdAt, now)}`,
    }));
  },
  async drain(client, project) {
    const { items } = await client.call(listDrains, { params: { project: project.id } });
    return items.map(({ id, url }) => ({ value: id, hint: url }));
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
      (query) => client.call(listProjects, { query }),
      { limit: MAX_OFFERED, pageSize: PAGE_LIMIT_MAX },
    );
    return items.map(({ name, url }) => ({ value: name, hint: url }));
  },
  async workspace(client) {
    const { items } = await collectPages(
      (query) => client.call(listWorkspaces, { query }),
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
    const { items } = await client.call(listWebhooks, { query: {} });
    return items.map(({ id, url }) => ({ value: id, hint: url }));
  },
};

/**
 * Looks up possible names. `given` is the value of `--project-id`, if any; otherwise, `svc.toml`
 * identifies the project.
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
