/** `POST /v1/projects/{project}/source-builds`: builds uploaded files as a commit. @module */
import { endpoints } from "../../contract/endpoints.ts";
import { MAX_SOURCE_BYTES } from "../../contract/repositories.ts";
import type { Clock } from "../../lib/clock.ts";
import { formatCount } from "../../lib/format.ts";
import { type BuildQueue, type BuildStore, buildToWire } from "../builds/mod.ts";
import { Failure, requireDeploy, type Router } from "../core/http/mod.ts";
import { BlobDamagedError, type BlobVault } from "../core/store/mod.ts";
import type { GitService } from "../git/mod.ts";
import { findProject, type ProjectRecord, type ProjectStore } from "../projects/mod.ts";
import { type BranchDeployer, environmentOf } from "./deploy_branches.ts";
import type { PushService } from "./push_service.ts";
import { makeSourcePush } from "./source_pack.ts";

interface SourceServices {
  readonly projects: ProjectStore;
  readonly vault: BlobVault;
  readonly builds: Pick<BuildStore, "find">;
  readonly buildQueue: Pick<BuildQueue, "ahead">;
  readonly git: Pick<GitService, "resolve">;
  readonly pushes: Pick<PushService, "take">;
  readonly branches: Pick<BranchDeployer, "start">;
  /** Aborted when the platform stops. */
  readonly closing: AbortSignal;
  readonly now: Clock;
}

/**
 * Returns the head of a branch in a pushed repository; `undefined` if the branch has no commit yet.
 */
async function headOf(
  { git, closing }: Pick<SourceServices, "git" | "closing">,
  project: ProjectRecord,
  branch: string,
): Promise<string | undefined> {
  const found = await git.resolve(project, { branch }, closing);
  if (found.type === "found") return found.sha;
  // There was no earlier push, so the repository or the branch does not exist.
  if (found.type === "branch_not_found" || found.type === "unauthorized") return undefined;
  throw new Failure("unavailable", "Cannot read the project's repository. Try again", {
    retryAfter: 5,
  });
}

export function bindSourceRoutes(router: Router, services: SourceServices): void {
  const { projects, vault, builds, buildQueue, pushes, branches, now } = services;

  router.guarded(endpoints.buildSources, async (caller, { params, body }) => {
    const project = await findProject(projects, caller, params.project);
    const { branch = project.branch, files } = body;
    const { message = `Upload of ${formatCount(files.length, "file")}` } = body;
    requireDeploy(caller, environmentOf(project, branch));
    if (project.gitUrl !== null) {
      throw new Failure(
        "conflict",
        `Project "${project.name}" is built from ${project.gitUrl}. Push there, or remove the URL ` +
          "in its settings",
      );
    }
    if (files.reduce((sum, { size }) => sum + size, 0) > MAX_SOURCE_BYTES) {
      throw new Failure(
        "payload_too_large",
        `The files can total at most ${MAX_SOURCE_BYTES} bytes`,
      );
    }
    const blobs = vault.of(caller.workspace.id);
    for (const { path, sha256, size } of files) {
      if (await blobs.size(sha256) === size) continue;
      throw new Failure("invalid_request", `Upload the content of ${path} first: ${sha256}`);
    }
    const { user } = caller;
    const push = await makeSourcePush(files, (sha256) => blobs.read(sha256), {
      branch,
      message,
      parent: await headOf(services, project, branch),
      author: { name: user.name, email: user.email ?? "" },
      at: now(),
    }).catch((error) => {
      if (error instanceof RangeError) throw new Failure("invalid_request", error.message);
      if (!(error instanceof BlobDamagedError)) throw error;
      throw new Failure(
        "conflict",
        "A file was removed after it was uploaded. Upload the files again",
        {
          cause: error,
        },
      );
    });
    await pushes.take(project, push);
    const { id } = await branches.start(project, {
      branch,
      sha: push.sha,
      startedBy: user.id,
      trigger: "upload",
    }, { say() {} });
    const build = await builds.find(project.id, id);
    if (build === undefined) throw new Failure("conflict", `Build ${id} was deleted`);
    return buildToWire(build, { project: project.name, ahead: buildQueue.ahead(id) });
  });
}
