/** Applies changes that other nodes made to hosts. @module */
import type { SiteDirectory } from "../../edge/mod.ts";
import type { Addresses } from "../core/addresses.ts";
import type { ProjectStore } from "../projects/mod.ts";
import { allLabels, readLabel } from "./host_labels.ts";
import type { RecordKey, RecordStore } from "../../store/mod.ts";

interface FollowParts {
  readonly kv: RecordStore;
  readonly sites: SiteDirectory;
  readonly projects: Pick<ProjectStore, "byName">;
  readonly addresses: Addresses;
}

async function followHost(parts: FollowParts, label: string): Promise<void> {
  const { kv, sites, projects, addresses } = parts;
  const hostname = addresses.hostname(label);
  const host = await readLabel(kv, label);
  const deploymentId = host?.value.deploymentId ?? null;
  if (host === undefined || deploymentId === null) return await hideHost(sites, hostname);
  const { projectId, rolling } = host.value;
  const project = await projects.byName(label);
  const production = project?.id === projectId;
  const version = host.versionstamp;
  const past = production ? project.productionPast : undefined;
  await sites.point(hostname, { projectId, deploymentId, production, version, rolling, past });
}

async function hideHost(sites: SiteDirectory, hostname: string): Promise<void> {
  const deploymentId = sites.deploymentAt(hostname);
  if (deploymentId === undefined) return;
  await sites.remove(hostname);
  if (!sites.isShown(deploymentId)) await sites.removeDeployment(deploymentId);
}

/** Applies the stored state to the hosts of the changed records. */
export async function followHosts(
  parts: FollowParts,
  changed: readonly RecordKey[],
): Promise<void> {
  for (const [family, label] of changed) {
    if (family === "hosts") await followHost(parts, String(label));
  }
}

export async function rereadHosts(parts: FollowParts): Promise<void> {
  const gone = new Set(parts.sites.hostnames());
  for await (const { label } of allLabels(parts.kv)) {
    gone.delete(parts.addresses.hostname(label));
    await followHost(parts, label);
  }
  for (const hostname of gone) await hideHost(parts.sites, hostname);
}
