/**
 * Puts pushes to the platform together.
 *
 * @module
 */
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import type { OpenSandbox } from "../builds/mod.ts";
import type { ProjectStore } from "../projects/mod.ts";
import { BranchDeployer, type BranchServices } from "./deploy_branches.ts";
import { PushService } from "./push_service.ts";
import { Repositories } from "./repositories.ts";
import { bindPushRoutes } from "./routes.ts";

export function createPush(
  foundation: Foundation,
  parts: Omit<BranchServices, "addresses" | "onTrouble"> & {
    readonly projects: ProjectStore;
    readonly sandbox: OpenSandbox;
  },
): Capability {
  const { dataDir, env, closing, onTrouble } = foundation;
  const { projects, sandbox: openSandbox } = parts;
  const path = env.PATH ?? "/usr/local/bin:/usr/bin:/bin";
  const repositories = new Repositories({ dataDir: dataDir.root, path });
  const branches = new BranchDeployer({ ...foundation, ...parts });
  const pushes = new PushService({ repositories, openSandbox, branches, closing, onTrouble });
  return {
    name: "push",
    bindRoutes: (router) => bindPushRoutes(router, { projects, pushes }),
    removeProject: (projectId) => repositories.remove(projectId),
  };
}
