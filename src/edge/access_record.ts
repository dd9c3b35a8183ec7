/** @module Access log entries for requests. */
import type { Hit } from "../rules/mod.ts";
import type { ClientRequest } from "./request/client_request.ts";
import type { EdgeResponse } from "./response/edge_response.ts";

/**
 * A rule that logged, denied or limited a request, or that would have done so without shadow mode.
 */
export interface RuleTrace {
  readonly ruleId: string;
  /** The action's type, such as `deny`. */
  readonly action: string;
  readonly outcome: "logged" | "denied" | "limited" | "shadowed";
}

/** One line of the access log, before it is written anywhere. */
export interface AccessRecord {
  /** When the request arrived, in milliseconds since the Unix epoch. */
  readonly time: number;
  readonly deploymentId: string;
  readonly projectId: string;
  readonly requestId: string;
  readonly method: string;
  readonly host: string;
  /** Path and query as the client wrote them. */
  readonly path: string;
  readonly status: number;
  /** Length of the response's body in bytes, or `null` if it is not known in advance. */
  readonly bytes: number | null;
  /** Time until the response headers were ready, in milliseconds. */
  readonly durationMs: number;
  readonly ip: string;
  readonly userAgent: string | null;
  /** The client's trace (W3C Trace Context). Missing if the client sent none. */
  readonly traceparent?: string | undefined;
  /** Why the origin failed. Missing if nothing failed. */
  readonly error?: string | undefined;
  /** The front edge through which the request came. Missing if it came directly to the platform. */
  readonly edge?: string | undefined;
  /** The rules that logged, denied or limited the request. Missing if there are none. */
  readonly rules?: readonly RuleTrace[] | undefined;
}

const TRACES: Readonly<Record<Hit["type"], Omit<RuleTrace, "ruleId">>> = {
  log: { action: "log", outcome: "logged" },
  deny: { action: "deny", outcome: "denied" },
  would_deny: { action: "deny", outcome: "shadowed" },
  rate_limit: { action: "rate_limit", outcome: "limited" },
  would_rate_limit: { action: "rate_limit", outcome: "shadowed" },
};

/** Converts a request's rule hits to log entries. Returns `undefined` if there are none. */
function tracesOf(hits: readonly Hit[]): readonly RuleTrace[] | undefined {
  if (hits.length === 0) return undefined;
  return hits.map((hit) => ({ ruleId: hit.rule.id, ...TRACES[hit.type] }));
}

/** Matches the secrets of share links and bypass keys, which must never be logged. */
const SECRET = /(x-svc-(?:share|bypass)=)[^&]*/g;

const withoutSecrets = (target: string): string =>
  target.includes("x-svc-") ? target.replace(SECRET, "$1…") : target;

/** Length of a `traceparent` in the current version, in characters. */
const TRACE_LENGTH = 55;

function traceOf(request: ClientRequest): string | undefined {
  const given = request.header("traceparent");
  return given?.length === TRACE_LENGTH ? given : undefined;
}

/** Returns the log entry of a completed request. */
export function recordOf(
  request: ClientRequest,
  { site, response, hits, time, durationMs }: {
    readonly site: { readonly deploymentId: string; readonly projectId: string };
    readonly response: EdgeResponse;
    readonly hits: readonly Hit[];
    readonly time: number;
    readonly durationMs: number;
  },
): AccessRecord {
  return {
    time,
    deploymentId: site.deploymentId,
    projectId: site.projectId,
    requestId: request.id,
    method: request.method,
    host: request.host,
    path: withoutSecrets(request.target),
    status: response.status,
    bytes: response.bytes ?? null,
    durationMs,
    ip: request.ip,
    userAgent: request.header("user-agent"),
    traceparent: traceOf(request),
    error: response.problem,
    edge: request.relayedBy,
    rules: tracesOf(hits),
  };
}
