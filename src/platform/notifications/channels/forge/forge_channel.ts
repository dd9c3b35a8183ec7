/**
 * Sends what happens to deployments to the forges of their repositories.
 *
 * @module
 */
import { CHANNEL_ROWS } from "../../../../contract/channels.ts";
import type { Channel } from "../../delivery/channel.ts";
import type { NotificationContent } from "../../delivery/types.ts";
import type { ForgeReporter, ReportedPlace } from "./forge_reporter.ts";

/** The deployment that an event is about. */
function placeOf({ workspaceId, data }: NotificationContent): ReportedPlace | undefined {
  const { projectId, deploymentId } = data;
  if (workspaceId === null) return undefined;
  if (typeof projectId !== "string" || typeof deploymentId !== "string") return undefined;
  return { workspaceId, projectId, deploymentId };
}

export function createForgeChannel(
  reporter: Pick<ForgeReporter, "find" | "report">,
): Channel {
  return {
    name: "forge",
    digests: false,
    limits: CHANNEL_ROWS.forge.limits,
    async receivers({ content }) {
      const place = placeOf(content);
      const found = place === undefined ? undefined : await reporter.find(place);
      if (found === undefined) return [];
      return [{ id: found.deployment.id, host: new URL(found.target.api).host }];
    },
    async send({ contents }) {
      const [content] = contents;
      const place = content === undefined ? undefined : placeOf(content);
      return place === undefined
        ? { type: "gone", reason: "The event has no deployment" }
        : await reporter.report(place);
    },
  };
}
