/**
 * Running foreign code: functions in a process per deployment, and what they
 * may reach outside.
 *
 * @module
 */
export type {
  FailureReason,
  FunctionHostOptions,
  FunctionLogEntry,
  FunctionRequest,
  FunctionResponse,
  FunctionSource,
  Invocation,
  InvocationResult,
} from "./functions/types.ts";
export type { CallContext } from "./functions/wire.ts";
export type { OutboundFetch, OutboundRequest, OutboundResponse } from "./outbound/types.ts";
export { OutboundError } from "./outbound/outbound_error.ts";
