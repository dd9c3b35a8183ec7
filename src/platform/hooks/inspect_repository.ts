/**
 * `GET /v1/projects/{project}/repository`: lists what can be deployed from a project's repository.
 *
 * @module
 */
import { endpoints } from "../../contract/endpoints.ts";
import { KeyedLock } from "../../lib/keyed_lock.ts";
import { Failure, type Router } from "../core/http/mod.ts";
import type { GitService } from "../git/mod.ts";
import { findProject, type ProjectStore } from "../projects/mod.ts";
import type { CommitResolver } from "./commit_resolver.ts";
import { findAppsApart } from "./find_apps_apart.ts";

const MAX_BRANCHES = 1000;

/**
 * Common names for a main branch. These are tried if the repository does not have the project's
 * branch.
 */
const USUAL = ["main", "master", "trunk"];

interface InspectServices {
  readonly projects: ProjectStore;
  readonly git: Pick<GitService, "branches" | "filesOf">;
  readonly commits: Pick<CommitResolver, "resolve">;
  readonly closing: AbortSignal;
}

export function bindInspectRepository(
  router: Router,
  { projects, git, commits, closing }: InspectServices,
): void {
  /** Lets each workspace use only one thread at a time. */
  const inspecting = new KeyedLock();

  router.guarded(endpoints.inspectRepository, async (caller, { params, query, request }) => {
    const project = await findProject(projects, caller, params.project);
    const signal = AbortSignal.any([request.signal, closing]);
    const listed = await git.branches(project, signal);
    if (listed.type === "unreachable") {
      throw new Failure("conflict", `Cannot read the repository: ${listed.reason}`);
    }
    const branches = [...listed.branches].sort();
    const branch = query.branch ??
      [project.branch, ...USUAL].find((name) => listed.branches.has(name)) ?? branches[0] ?? null;
    const shown = branches.slice(0, MAX_BRANCHES);
    if (branch === null) {
      return { branches: shown, branch, commitSha: null, message: null, apps: [] };
    }
    const { sha, message } = await commits.resolve(project, { branch }, signal);
    const files = await git.filesOf(project.id, sha);
    const apps = await inspecting.run(
      caller.workspace.id,
      () => findAppsApart(files, { signal }),
    );
    return { branches: shown, branch, message, commitSha: sha, apps: [...apps] };
  });
}
