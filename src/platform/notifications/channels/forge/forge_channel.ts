/**
 * Sends what happens to deployments to the forges of their repositories.
 *
 * @module
 */
import type { Channel } from "../../delivery/channel.ts";
import type { NotificationContent } from "../../delivery/types.ts";
import type { ForgeReporter, ReportedPlace } from "./forge_reporter.ts";

const HOUR_MS = 60 * 60 * 1000;

/** The deployment that an event is about. */
export function placeOf({ workspaceId, data }: NotificationContent): ReportedPlace | undefined {
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
    limits: {
      maxAttempts: 8,
      maxAgeMs: 12 * HOUR_MS,
      firstPauseMs: 5_000,
      factor: 4,
      longestPauseMs: HOUR_MS,
      concurrency: 16,
      perHost: 4,
      perOwner: 4,
    },
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
        ? { type: "gone", reason: "The event names no deployment" }
        : await reporter.report(place);
    },
  };
}
