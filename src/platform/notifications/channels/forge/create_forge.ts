/** Wires up the reports to forges. @module */
import { endpoints } from "../../../../contract/endpoints.ts";
import type { Foundation } from "../../../core/foundation.ts";
import type { Router } from "../../../core/http/mod.ts";
import { deploymentEvent, DeploymentStore, requireOwner } from "../../../deployments/mod.ts";
import { PullStore, type ReportPull } from "../../../hooks/mod.ts";
import { keys, readRecord } from "../../../core/store/mod.ts";
import { GitCredentialStore, previewRecord, ProjectStore } from "../../../projects/mod.ts";
import type { Channel } from "../../delivery/channel.ts";
import { ForgeReporter, type ReportedPlace } from "./forge_reporter.ts";
import { type ReportRecord, ReportStore } from "./report_store.ts";
import type { RecordStore } from "../../../../store/mod.ts";
import { CHANNEL_ROWS } from "../../../../contract/channels.ts";
import type { DeliveryQueue, NotificationContent } from "../../delivery/types.ts";
import { uuidV7 } from "../../../../lib/ids.ts";
import { describeEvent } from "../../describe_event.ts";

/**
 * Creates the function that queues a report for a pull request. The function resolves once the
 * report is stored, so it survives a crash.
 */
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

function placeOf({ workspaceId, data }: NotificationContent): ReportedPlace | undefined {
  const { projectId, deploymentId } = data;
  if (workspaceId === null) return undefined;
  if (typeof projectId !== "string" || typeof deploymentId !== "string") return undefined;
  return { workspaceId, projectId, deploymentId };
}

/** Reports deployments' states to the forges of their repositories. */
function createForgeChannel(
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

type ForgeFoundation = Pick<
  Foundation,
  "kv" | "box" | "addresses" | "publicOrigin" | "outbound" | "allowPrivate" | "now"
>;

export function createForge(foundation: ForgeFoundation): {
  readonly channel: Channel;
  readonly reports: ReportStore;
} {
  const { kv, box, now } = foundation;
  const reports = new ReportStore(kv);
  const reporter = new ForgeReporter({
    ...foundation,
    projects: new ProjectStore(kv),
    deployments: new DeploymentStore(kv),
    credentials: new GitCredentialStore(kv, box).open,
    pulls: new PullStore(kv, now),
    reports,
    async protectionOf(projectId) {
      const found = await readRecord(kv, keys.previewAccess(projectId), previewRecord);
      return found?.value.protection ?? "off";
    },
  });
  return { channel: createForgeChannel(reporter), reports };
}

function toWire({ forge, repository, state, comment, problem, at }: ReportRecord) {
  const isCommented = comment !== null;
  return { forge, repository, state, isCommented, problem, at: new Date(at).toISOString() };
}

export function bindForgeRoutes(
  router: Router,
  { kv, reports }: { readonly kv: RecordStore; readonly reports: ReportStore },
): void {
  const deployments = new DeploymentStore(kv);
  router.guarded(endpoints.getForgeReport, async (caller, { params: { deployment: id } }) => {
    const { projectId } = await requireOwner(deployments, caller, id);
    const record = await reports.find({ projectId, id });
    return { report: record === undefined ? null : toWire(record) };
  });
}
