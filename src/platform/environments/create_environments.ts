/**
 * Composes environments.
 *
 * @module
 */
import { MAX_COUNTED } from "../../contract/usage.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { countBelow, keys, keysBelow } from "../core/store/mod.ts";
import { EnvironmentStore } from "./environment_store.ts";
import { bindEnvironmentRoutes, type EnvironmentServices } from "./routes.ts";

export interface Environments {
  readonly environments: EnvironmentStore;
  readonly capability: Capability;
}

export function createEnvironments(
  foundation: Pick<Foundation, "kv" | "addresses" | "now" | "random">,
  parts: Pick<EnvironmentServices, "projects" | "onDeleted">,
): Environments {
  const { kv } = foundation;
  const environments = new EnvironmentStore(kv);
  return {
    environments,
    capability: {
      name: "environments",
      bindRoutes: (router) =>
        bindEnvironmentRoutes(router, { ...foundation, ...parts, environments }),
      async *projectKeys(projectId) {
        yield* keysBelow(kv, keys.environments(projectId));
        yield* keysBelow(kv, keys.environmentNames(projectId));
      },
      async projectUsage(projectId) {
        const used = await countBelow(kv, keys.environments(projectId), MAX_COUNTED);
        return [{ subject: "environments", of: null, used, limit: null }];
      },
    },
  };
}
