/** Host labels in Deno KV: which deployment each of them serves. @module */
import { commitWithRetries, keys, readAll, readRecord, type Versioned } from "../core/store/mod.ts";
import { type HostRecord, hostRecord } from "../projects/mod.ts";
import type { DeploymentRecord } from "./deployment.ts";
import type { Lease, Operation, RecordStore } from "../../store/mod.ts";

/** Thrown if the records changed before the commit. The caller must decide again. */
export class StaleDecisionError extends Error {
  override readonly name = "StaleDecisionError";
}

export interface HostChange {
  readonly label: string;
  readonly deploymentId: string;
  /** The rolling release that is in progress on the host. */
  readonly rolling?: HostRecord["rolling"];
}

/** Labels that serve a single deployment. A promoted preview's branch keeps serving the preview. */
export const ownLabels = (
  { uniqueLabel, branchLabel, promotedFrom }: DeploymentRecord,
): readonly string[] => promotedFrom === null ? [uniqueLabel, branchLabel] : [uniqueLabel];

export function readLabel(
  kv: RecordStore,
  label: string,
): Promise<Versioned<HostRecord> | undefined> {
  return readRecord(kv, keys.host(label), hostRecord);
}

export async function* allLabels(
  kv: RecordStore,
): AsyncGenerator<{ readonly label: string; readonly host: HostRecord }> {
  for await (const { key, value } of readAll(kv, keys.hosts(), hostRecord)) {
    yield { label: String(key[1]), host: value };
  }
}

/**
 * Points labels to deployments, in the commit that makes these deployments live. @throws
 * {StaleDecisionError}
 */
export async function pointLabels(
  kv: RecordStore,
  operation: Operation,
  { hosts, projectId }: { readonly hosts: readonly HostChange[]; readonly projectId: string },
): Promise<void> {
  for (const { label, deploymentId, rolling } of hosts) {
    const key = keys.host(label);
    const current = await readLabel(kv, label);
    if (current !== undefined && current.value.projectId !== projectId) {
      throw new StaleDecisionError(`The hostname "${label}" was just taken by another project`);
    }
    operation.check({ key, versionstamp: current?.versionstamp ?? null })
      .set(key, { projectId, deploymentId, ...(rolling === undefined ? {} : { rolling }) });
  }
}

/** Clears a deployment's own label and its branch's label if they still serve the deployment. */
export async function clearLabels(
  kv: RecordStore,
  deployment: DeploymentRecord,
  lease?: Lease,
): Promise<void> {
  const { id, projectId, workspaceId, uniqueLabel, branchLabel } = deployment;
  const projectKey = keys.project(workspaceId, projectId);
  for (const label of [uniqueLabel, branchLabel]) {
    const key = keys.host(label);
    await commitWithRetries(kv, [key, projectKey], async (operation) => {
      const host = await readLabel(kv, label);
      if (host?.value.deploymentId === id) {
        operation.check({ key, versionstamp: host.versionstamp })
          .set(key, { projectId, deploymentId: null });
      }
    }, { lease });
  }
}
