/** HTTP on the platform: router, bodies, failures, idempotency and host dispatch. @module */
export { addressGroup } from "./address_group.ts";
export {
  type AuditFacts,
  type CompletedCall,
  type ForeignVisit,
  type GuardedEndpoint,
  type RequestContext,
  type Visit,
} from "./calls.ts";
export { agentName, type Client, clientFinder } from "./client.ts";
export { eventStream, type ServerEvent } from "./event_stream.ts";
export { Failure, toFailure } from "./failure.ts";
export { faultAnswer } from "./fault_answer.ts";
export { createHostDispatch, type HostDispatch } from "./host_dispatch.ts";
export { apiHosts } from "./hostname.ts";
export { Idempotency, readIdempotencyKey } from "./idempotency.ts";
export { noteLimit } from "./limit_fields.ts";
export { lackedPermission, requireDeploy, requirePermission } from "./permission.ts";
export { readBytes, readJson } from "./read_body.ts";
export { requireRate } from "./require_rate.ts";
export { requestIds } from "./request_id.ts";
export { Router } from "./router.ts";
export { crossOriginFailure, isSafeMethod, originOf } from "./same_origin.ts";
export { validateBody } from "./validate_body.ts";
