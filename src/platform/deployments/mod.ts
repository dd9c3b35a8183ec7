/** Deployments: content, states, the hosts that serve them, and their sites on the edge. @module */
export { checkRules } from "./check_content.ts";
export { readContent } from "./content.ts";
export { storeContent } from "./create_deployment.ts";
export { createDeployments, openDeployments, shownBy } from "./create_deployments.ts";
export {
  type BuildTrigger,
  canMove,
  type DeploymentRecord,
  deploymentRecord,
  isServed,
  moveDeployment,
} from "./deployment.ts";
export { deploymentEvent } from "./deployment_event.ts";
export type { AskEdge, CheckPlace } from "./checks/check_request.ts";
export type { RunCommands } from "./checks/release_checks.ts";
export { DeploymentService } from "./deployment_service.ts";
export { DeploymentStore } from "./deployment_store.ts";
export { findServed } from "./open_sites.ts";
export { latestDeployments } from "./latest_deployments.ts";
export { forgetDeployment } from "./production_history.ts";
export { openReleases, type ReleaseRecord, type ReleaseTable } from "./release_record.ts";
export { recordDeployment, type RecordServices } from "./record_deployment.ts";
export { requireOwner } from "./require_owner.ts";
export { neededBlobs } from "./sweep.ts";
export {
  DatabaseNotReadyError,
  type DeployedDatabases,
  ServerNotReadyError,
} from "./running_code.ts";
