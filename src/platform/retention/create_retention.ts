/** Wires up retention, which removes old deployments that are no longer needed. @module */
import { formatCount } from "../../lib/format.ts";
import type { Capability } from "../core/capability.ts";
import type { RetentionPolicy } from "./plan_retention.ts";
import { pruneDeployments, type PruneServices } from "./prune_deployments.ts";

export function createRetention(
  services: PruneServices & { now(): number },
  policy: RetentionPolicy,
): Capability {
  return {
    name: "retention",
    async cleanUp(signal, lease) {
      const { removed, stopped } = await pruneDeployments(services, policy, {
        now: services.now(),
        signal,
      }, lease);
      return [
        ...(removed === 0 ? [] : [`removed ${formatCount(removed, "old deployment")}`]),
        ...(stopped === 0
          ? []
          : [`stopped ${formatCount(stopped, "preview")} of deleted branches`]),
      ];
    },
  };
}
