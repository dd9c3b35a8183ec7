/**
 * Puts reports to forges together.
 *
 * @module
 */
import { endpoints } from "../../../../contract/endpoints.ts";
import { reachesProject } from "../../../core/access/mod.ts";
import type { Foundation } from "../../../core/foundation.ts";
import { Failure, type Router } from "../../../core/http/mod.ts";
import { DeploymentStore } from "../../../deployments/mod.ts";
import { PullStore } from "../../../hooks/mod.ts";
import { keys, readRecord } from "../../../core/store/mod.ts";
import { GitCredentialStore, previewRecord, ProjectStore } from "../../../projects/mod.ts";
import type { Channel } from "../../delivery/channel.ts";
import { createForgeChannel } from "./forge_channel.ts";
import { ForgeReporter } from "./forge_reporter.ts";
import { type ReportRecord, ReportStore } from "./report_store.ts";
import type { RecordStore } from "../../../../store/mod.ts";

export type ForgeFoundation = Pick<
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

/** Binds `/v1/deployments/{deployment}/forge-report`. */
export function bindForgeRoutes(
  router: Router,
  { kv, reports }: { readonly kv: RecordStore; readonly reports: ReportStore },
): void {
  const deployments = new DeploymentStore(kv);
  router.guarded(endpoints.getForgeReport, async (caller, { params: { deployment: id } }) => {
    const owner = await deployments.owner(id);
    if (owner?.workspaceId !== caller.workspace.id || !reachesProject(caller, owner.projectId)) {
      const { slug } = caller.workspace;
      throw new Failure("not_found", `Deployment ${id} does not exist in workspace "${slug}"`);
    }
    const record = await reports.find({ projectId: owner.projectId, id });
    return { report: record === undefined ? null : toWire(record) };
  });
}
