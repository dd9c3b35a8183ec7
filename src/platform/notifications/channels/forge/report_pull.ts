/**
 * Tells the forge of a deployment again once a pull request shows its branch: its own events may
 * have been sent before.
 *
 * @module
 */
import { uuidV7 } from "../../../../lib/ids.ts";
import type { Foundation } from "../../../core/foundation.ts";
import { deploymentEvent } from "../../../deployments/mod.ts";
import type { ReportPull } from "../../../hooks/mod.ts";
import type { DeliveryQueue } from "../../delivery/types.ts";
import { describeEvent } from "../../describe_event.ts";

/** Creates the function that stores such a report; it resolves once that would survive a crash. */
export function pullReporter(
  { queue, addresses, publicOrigin, now, random }:
    & Pick<Foundation, "addresses" | "publicOrigin" | "now" | "random">
    & { readonly queue: DeliveryQueue },
): ReportPull {
  return async (deployment) => {
    const { event, data } = deploymentEvent("building", deployment, addresses);
    const id = uuidV7(now, random);
    await queue.accept([{
      key: `${id}:forge`,
      channel: "forge",
      userId: null,
      content: describeEvent(
        { id, event, data, createdAt: now(), workspaceId: deployment.workspaceId },
        { origin: publicOrigin },
      ),
    }]);
  };
}
