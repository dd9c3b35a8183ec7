/**
 * Servers of deployments: prepared, started, kept within limits and ended.
 *
 * @module
 */
export { CachedAnswers, type Revalidated } from "./cached_answers.ts";
export { ComputeService } from "./compute_service.ts";
export { createCompute } from "./create_compute.ts";
export { defaultProcessLimits } from "./process_limits.ts";
export { purgedPath } from "./purge_scopes.ts";
export {
  judgeServerSandbox,
  sandboxWarning,
  type ServerSandbox,
  type ServerSettings,
} from "./server_sandbox.ts";
export { type ServersHealth, SiteServers } from "./site_servers.ts";
