/** `GET /v1/search`. Every part of a search reads a limited number of records. @module */
import { endpoints } from "../../contract/endpoints.ts";
import type { Member } from "../../contract/workspaces.ts";
import { SEARCH_RESULTS, type SearchResult } from "../../contract/search.ts";
import { isUuid } from "../../lib/ids.ts";
import type { Caller } from "../core/access/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { DatabaseRecord, DatabaseStore } from "../databases/mod.ts";
import type { DeploymentRecord, DeploymentStore } from "../deployments/mod.ts";
import type { DomainStore } from "../domains/mod.ts";
import type { ProjectRecord, ProjectStore } from "../projects/mod.ts";
import type { WorkspaceService } from "../workspaces/mod.ts";
import { databaseRank, deploymentRank, memberRank, projectRank, topOf } from "./rank.ts";

interface SearchServices {
  readonly projects: Pick<ProjectStore, "list" | "find" | "findByName">;
  readonly deployments: Pick<DeploymentStore, "list" | "find" | "owner">;
  readonly domains: Pick<DomainStore, "hostnamesOf">;
  readonly databases: Pick<DatabaseStore, "list">;
  readonly workspaces: Pick<WorkspaceService, "members">;
}

/** Maximum number of projects to search in a workspace, newest first. */
const MAX_PROJECTS = 1000;
/**
 * Maximum number of projects whose deployments and databases are searched: first the projects that
 * match, then the newest.
 */
const MAX_DEPLOYED = 25;
/** Maximum number of deployments per project to search, newest first. */
const MAX_DEPLOYMENTS = 10;
/** Maximum number of members to search in a workspace. */
const MAX_MEMBERS = 200;
/** Maximum number of hostnames to search in a workspace, in alphabetical order. */
const MAX_HOSTNAMES = 1000;

const projectResult = ({ id, name, displayName, gitUrl }: ProjectRecord): SearchResult => ({
  kind: "project",
  id,
  project: name,
  title: displayName ?? name,
  detail: gitUrl ?? name,
});

const deploymentResult = (
  { id, projectName, message, branch, commitSha }: DeploymentRecord,
): SearchResult => ({
  kind: "deployment",
  id,
  project: projectName,
  title: message ?? `Deployment ${id.slice(0, 8)}`,
  detail: commitSha === null ? branch : `${branch} ${commitSha.slice(0, 7)}`,
});

const memberResult = ({ userId, name, email, role }: Member): SearchResult => ({
  kind: "member",
  id: userId,
  project: null,
  title: name,
  detail: email ?? role,
});

/** Finds matches for a non-empty search string in lower case. */
async function searchFor(
  { projects, deployments, domains, databases, workspaces }: SearchServices,
  caller: Caller,
  wanted: string,
): Promise<SearchResult[]> {
  const workspaceId = caller.workspace.id;
  const [{ items: newest }, exact] = await Promise.all([
    projects.list(workspaceId, { limit: MAX_PROJECTS }),
    projects.findByName(workspaceId, wanted),
  ]);
  const isNew = exact !== undefined && newest.every(({ id }) => id !== exact.id);
  const all = isNew ? [exact, ...newest] : newest;
  const fitting = topOf(all, (project) => projectRank(project, wanted), SEARCH_RESULTS);
  const deployed = [...new Set([...fitting, ...all])].slice(0, MAX_DEPLOYED);

  async function findDeployments(): Promise<readonly DeploymentRecord[]> {
    if (isUuid(wanted)) {
      const owner = await deployments.owner(wanted);
      const found = owner?.workspaceId === workspaceId
        ? await deployments.find(owner.projectId, wanted)
        : undefined;
      if (found !== undefined) return [found];
    }
    const pages = await Promise.all(
      deployed.map(({ id }) => deployments.list(id, { limit: MAX_DEPLOYMENTS })),
    );
    const latest = pages.flatMap(({ items }) => items)
      .sort((a, b) => b.createdAt - a.createdAt);
    return topOf(latest, (each) => deploymentRank(each, wanted), SEARCH_RESULTS);
  }

  const names = new Map(all.map(({ id, name }) => [id, name]));
  const hosts = async () => {
    const found: SearchResult[] = [];
    const places = domains.hostnamesOf(workspaceId, MAX_HOSTNAMES);
    for await (const { hostname, domainId: id, projectId } of places) {
      if (!hostname.includes(wanted)) continue;
      const project = names.get(projectId) ?? (await projects.find(workspaceId, projectId))?.name;
      if (project === undefined) continue;
      found.push({ kind: "domain", id, project, title: hostname, detail: project });
      if (found.length === SEARCH_RESULTS) break;
    }
    return found;
  };

  async function findDatabases(): Promise<SearchResult[]> {
    const lists = await Promise.all(deployed.map(({ id }) => databases.list(id)));
    const found = topOf(lists.flat(), (each) => databaseRank(each, wanted), SEARCH_RESULTS);
    return found.map(({ id, name, projectId }: DatabaseRecord) => {
      const project = names.get(projectId)!;
      return { kind: "database", id, project, title: name, detail: project };
    });
  }

  async function findMembers(): Promise<SearchResult[]> {
    const { items } = await workspaces.members(caller, { limit: MAX_MEMBERS });
    return topOf(items, (each) => memberRank(each, wanted), SEARCH_RESULTS).map(memberResult);
  }

  const [foundDeployments, ...others] = await Promise.all([
    findDeployments(),
    hosts(),
    findDatabases(),
    findMembers(),
  ]);
  return [
    ...fitting.map(projectResult),
    ...foundDeployments.map(deploymentResult),
    ...others.flat(),
  ];
}

export function createSearch(services: SearchServices): Capability {
  return {
    name: "search",
    bindRoutes(router) {
      router.guarded(endpoints.search, async (caller, { query }) => {
        const wanted = query.query.toLowerCase();
        const items = wanted === "" ? [] : await searchFor(services, caller, wanted);
        return { items };
      });
    },
  };
}
