/** Servers of deployments: preparing, starting, limiting and stopping them. @module */
export { CachedAnswers } from "./cached_answers.ts";
export { ComputeService } from "./compute_service.ts";
export { createCompute } from "./create_compute.ts";
export { defaultProcessLimits } from "./process_limits.ts";
export { purgedPath } from "./purge_scopes.ts";
export { judgeServerSandbox, sandboxWarning, type ServerSandbox } from "./server_sandbox.ts";
export { type ServersHealth } from "./site_servers.ts";
