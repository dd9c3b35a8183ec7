/** Wires up pushes to the platform. @module */
import type { AuditLog } from "../audit/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import type { BuildQueue, BuildStore, OpenSandbox } from "../builds/mod.ts";
import { keys } from "../core/store/mod.ts";
import type { PushedRepositories } from "../git/mod.ts";
import type { ProjectStore } from "../projects/mod.ts";
import { BranchDeployer, type BranchServices } from "./deploy_branches.ts";
import { PushService } from "./push_service.ts";
import { Repositories } from "./repositories.ts";
import { bindPushRoutes } from "./routes.ts";
import { bindSourceRoutes } from "./source_routes.ts";

export function createPush(
  foundation: Foundation,
  parts: Omit<BranchServices, "addresses" | "onTrouble"> & {
    readonly projects: ProjectStore;
    readonly builds: Pick<BuildStore, "find">;
    readonly buildQueue: Pick<BuildQueue, "ahead">;
    readonly sandbox: OpenSandbox;
    readonly audit: Pick<AuditLog, "record">;
    readonly pushedRepositories: PushedRepositories | undefined;
  },
): Capability {
  const { dataDir, env, closing, onTrouble } = foundation;
  const { projects, sandbox: openSandbox, pushedRepositories: shared } = parts;
  const path = env.PATH ?? "/usr/local/bin:/usr/bin:/bin";
  const repositories = new Repositories({
    dataDir: dataDir.root,
    path,
    sync: (projectId) => shared?.sync(projectId) ?? Promise.resolve(),
  });
  const branches = new BranchDeployer({ ...foundation, ...parts });
  const pushes = new PushService({
    repositories,
    openSandbox,
    branches,
    shared,
    closing,
    onTrouble,
  });
  return {
    name: "push",
    bindRoutes(router) {
      bindPushRoutes(router, { projects, pushes, audit: parts.audit });
      bindSourceRoutes(router, { ...foundation, ...parts, pushes, branches });
    },
    start: async () => await shared?.shareOwn(() => projects.all()),
    async *projectKeys(projectId) {
      yield keys.pushedRepository(projectId);
    },
    async tidyNode() {
      const removed = await shared?.removeGone() ?? 0;
      const noun = removed === 1 ? "repository" : "repositories";
      return removed === 0 ? [] : [`removed ${removed} pushed ${noun} of deleted projects`];
    },
    removeProject: (projectId) => repositories.remove(projectId),
  };
}
