/** Wires up projects. @module */
import { MAX_COUNTED } from "../../contract/usage.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { countBelow, keys } from "../core/store/mod.ts";
import { projectKeys } from "./deletions.ts";
import { GitCredentialStore, leavesHost, type UnknownRepository } from "./git_credentials.ts";
import { ProjectStore } from "./project_store.ts";
import type { BodyOf } from "../../contract/endpoint.ts";
import { endpoints } from "../../contract/endpoints.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import { uuidV7 } from "../../lib/ids.ts";
import type { Caller } from "../core/access/mod.ts";
import type { Addresses } from "../core/addresses.ts";
import { Failure, type Router } from "../core/http/mod.ts";
import { findProject } from "./find_project.ts";
import { type ProjectRecord, projectToWire } from "./project.ts";
import { originOf, type RepositoryProblem, unreadable } from "./repository_problem.ts";

interface ProjectRouteServices {
  readonly projects: ProjectStore;
  readonly gitCredentials: GitCredentialStore;
  /**
   * Returns a message that explains why the platform does not connect to an address; `undefined` if
   * it would try to connect.
   */
  gitRefusal(gitUrl: string): string | undefined;
  /**
   * Checks a repository. Returns why the repository cannot be read; `undefined` if it can be read.
   */
  checkRepository(
    repository: UnknownRepository,
    signal: AbortSignal,
  ): Promise<RepositoryProblem | undefined>;
  readonly addresses: Addresses;
  readonly now: Clock;
  readonly random: Random;
  /** Takes a project offline and deletes its data. */
  deleteProject(project: ProjectRecord): Promise<void>;
}

function bindProjectRoutes(router: Router, services: ProjectRouteServices): void {
  const { projects, gitCredentials, addresses, now, random } = services;
  const toWire = (project: ProjectRecord) => projectToWire(project, addresses);
  const find = (caller: Caller, name: string) => findProject(projects, caller, name);

  /** Rejects a git URL to which the platform may not connect. */
  const requireAllowed = (gitUrl: string | null | undefined) => {
    const reason = typeof gitUrl === "string" ? services.gitRefusal(gitUrl) : undefined;
    if (reason === undefined) return;
    throw new Failure("invalid_request", `Git URL is not allowed: ${reason}`, {
      problems: [{ path: "body.gitUrl", message: reason }],
    });
  };

  const change = async (
    { id, workspaceId }: ProjectRecord,
    edit: (project: ProjectRecord) => ProjectRecord,
  ) => {
    const changed = await projects.update(
      [workspaceId, id],
      (project) => ({ ...edit(project), updatedAt: now() }),
    );
    if (changed === undefined) throw new Failure("not_found", "The project was deleted");
    return toWire(changed);
  };

  router.guarded(endpoints.listProjects, async (caller, { query }) => {
    const { id } = caller.workspace;
    const reached = caller.grant?.projects ?? null;
    const page = reached === null
      ? await projects.list(id, query)
      : await projects.listOf(id, reached, query);
    return { items: page.items.map(toWire), nextCursor: page.nextCursor };
  });

  /** Checks a new project's repository. Returns the origin that its credentials apply to. */
  const requireReadable = async (
    { name, gitUrl = null, credentials, verifyRepository }: BodyOf<typeof endpoints.createProject>,
    signal: AbortSignal,
  ) => {
    requireAllowed(gitUrl);
    const origin = credentials && originOf({ name, gitUrl }, credentials);
    if (!verifyRepository || gitUrl === null) return origin;
    const problem = await services.checkRepository({ gitUrl, credentials }, signal);
    if (problem !== undefined) throw unreadable(problem, { hasCredentials: origin !== undefined });
    return origin;
  };

  router.guarded(endpoints.createProject, async (caller, { body, request }) => {
    const { credentials, verifyRepository: _, ...settings } = body;
    if (addresses.isReserved(body.name)) {
      throw new Failure("conflict", `Project name "${body.name}" is reserved. Choose another`);
    }
    const origin = await requireReadable(body, request.signal);
    const project: ProjectRecord = {
      displayName: null,
      gitUrl: null,
      framework: null,
      installCommand: null,
      buildCommand: null,
      outputDirectory: null,
      rootDirectory: null,
      nodeVersion: null,
      ...settings,
      gitCredentials: credentials?.type ?? null,
      id: uuidV7(now, random),
      workspaceId: caller.workspace.id,
      workspaceSlug: caller.workspace.slug,
      productionHistory: [],
      createdAt: now(),
      updatedAt: now(),
    };
    if (credentials !== undefined && origin !== undefined) {
      await gitCredentials.save(project.id, { origin, credentials });
    }
    if (!await projects.create(project, addresses.isPublic ? "members" : "off")) {
      await gitCredentials.remove(project.id);
      throw new Failure("conflict", `Project name "${project.name}" is taken. Choose another`);
    }
    return toWire(project);
  });

  router.guarded(
    endpoints.getProject,
    async (caller, { params }) => toWire(await find(caller, params.project)),
  );

  router.guarded(endpoints.updateProject, async (caller, { params, body, note }) => {
    const project = await find(caller, params.project);
    note({ before: project });
    const { gitUrl } = body;
    requireAllowed(gitUrl);
    if (gitUrl !== undefined && leavesHost(project.gitUrl, gitUrl)) {
      await gitCredentials.remove(project.id);
    }
    return change(project, (current) => ({
      ...current,
      ...body,
      gitCredentials: gitUrl !== undefined && leavesHost(current.gitUrl, gitUrl)
        ? null
        : current.gitCredentials,
    }));
  });

  router.guarded(endpoints.setGitCredentials, async (caller, { params, body, note }) => {
    const project = await find(caller, params.project);
    note({ before: project });
    await gitCredentials.save(project.id, { origin: originOf(project, body), credentials: body });
    return change(project, (current) => ({ ...current, gitCredentials: body.type }));
  });

  router.guarded(endpoints.removeGitCredentials, async (caller, { params, note }) => {
    const project = await find(caller, params.project);
    note({ before: project });
    await gitCredentials.remove(project.id);
    return change(project, (current) => ({ ...current, gitCredentials: null }));
  });

  router.guarded(endpoints.deleteProject, async (caller, { params, note }) => {
    const project = await find(caller, params.project);
    note({ before: project });
    await services.deleteProject(project);
    return undefined;
  });
}

export interface Projects {
  readonly projects: ProjectStore;
  readonly gitCredentials: GitCredentialStore;
  readonly capability: Capability;
}

export function createProjects(
  foundation: Pick<Foundation, "kv" | "box" | "addresses" | "now" | "random">,
  parts: Pick<ProjectRouteServices, "gitRefusal" | "checkRepository" | "deleteProject">,
): Projects {
  const { kv, box } = foundation;
  const projects = new ProjectStore(kv);
  const gitCredentials = new GitCredentialStore(kv, box);
  return {
    projects,
    gitCredentials,
    capability: {
      name: "projects",
      bindRoutes: (router) =>
        bindProjectRoutes(router, { ...foundation, ...parts, projects, gitCredentials }),
      projectKeys: (projectId) => projectKeys(kv, projectId),
      async workspaceUsage(workspaceId) {
        const used = await countBelow(kv, keys.projects(workspaceId), MAX_COUNTED);
        return [{ subject: "projects", of: null, used, limit: null }];
      },
    },
  };
}
