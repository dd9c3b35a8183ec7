/** Closes uploads that no longer make progress. @module */
import type { RaiseEvent } from "../core/events/mod.ts";
import type { Addresses } from "../core/addresses.ts";
import { moveDeployment } from "./deployment.ts";
import { deploymentEvent } from "./deployment_event.ts";
import type { DeploymentStore } from "./deployment_store.ts";
import { type OpenUploads, takesFiles, UPLOAD_IDLE_MS } from "./open_uploads.ts";

interface IdleUploadServices {
  readonly deployments: DeploymentStore;
  readonly uploads: OpenUploads;
  readonly addresses: Addresses;
  readonly raiseEvent: RaiseEvent;
}

const REASON =
  "The upload timed out after 5 minutes without data. Deploy again. Uploaded files are kept for a day";

/**
 * Fails deployments that have received no data for {@link UPLOAD_IDLE_MS}, not counting the time
 * before `startedAt`.
 */
export async function closeIdleUploads(
  { deployments, uploads, addresses, raiseEvent }: IdleUploadServices,
  { now, startedAt }: { readonly now: number; readonly startedAt: number },
): Promise<number> {
  const moment = now - UPLOAD_IDLE_MS;
  if (startedAt > moment) return 0;
  let count = 0;
  for await (const upload of uploads.idleSince(moment)) {
    const { projectId, deploymentId } = upload;
    let isClosed = false;
    const closed = await deployments.update([projectId, deploymentId], (current) => {
      isClosed = takesFiles(current);
      return isClosed ? moveDeployment(current, "FAILED", { now, error: REASON }) : current;
    });
    if (closed === undefined || !isClosed) {
      await uploads.remove(upload);
      continue;
    }
    await raiseEvent(deploymentEvent("failed", closed, addresses));
    count++;
  }
  return count;
}
