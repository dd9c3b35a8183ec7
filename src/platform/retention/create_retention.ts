/** Wires up retention, which removes old deployments that are no longer needed. @module */
import type { Capability } from "../core/capability.ts";
import type { RetentionPolicy } from "./plan_retention.ts";
import { pruneDeployments, type PruneServices } from "./prune_deployments.ts";

export function createRetention(
  services: PruneServices & { now(): number },
  policy: RetentionPolicy,
): Capability {
  return {
    name: "retention",
    async keepHouse(signal, lease) {
      const { removed, stopped } = await pruneDeployments(services, policy, {
        now: services.now(),
        signal,
      }, lease);
      if (removed + stopped === 0) return [];
      return [
        `${removed} old deployments removed, ${stopped} previews of deleted branches stopped`,
      ];
    },
  };
}
