/**
 * What is remembered of an answered request.
 *
 * @module
 */
import type { Hit } from "../rules/mod.ts";

/** A rule that left a trace on a request. */
export interface RuleTrace {
  readonly ruleId: string;
  /** The action's type, such as `deny`. */
  readonly action: string;
  readonly outcome: "logged" | "denied" | "limited" | "shadowed";
}

/** One line of the access log, before it is written anywhere. */
export interface AccessRecord {
  /** When the request came, in milliseconds since the Unix epoch. */
  readonly time: number;
  readonly deploymentId: string;
  readonly projectId: string;
  readonly requestId: string;
  readonly method: string;
  readonly host: string;
  /** Path and query as the client wrote them. */
  readonly path: string;
  readonly status: number;
  /** Length of the answer's body in bytes; `null` where only its end tells. */
  readonly bytes: number | null;
  /** Time to the answer's head in milliseconds. */
  readonly durationMs: number;
  /** Address of the client. */
  readonly ip: string;
  readonly userAgent: string | null;
  /** Why something behind the edge could not answer. Missing where all went well. */
  readonly error?: string | undefined;
  /** The rules that left a trace: logs, denials, shadow hits. Missing where none did. */
  readonly rules?: readonly RuleTrace[] | undefined;
}

const TRACES: Readonly<Record<Hit["type"], Omit<RuleTrace, "ruleId">>> = {
  log: { action: "log", outcome: "logged" },
  deny: { action: "deny", outcome: "denied" },
  would_deny: { action: "deny", outcome: "shadowed" },
  rate_limit: { action: "rate_limit", outcome: "limited" },
  would_rate_limit: { action: "rate_limit", outcome: "shadowed" },
};

/** What the log says about the hits of a request. */
export function tracesOf(hits: readonly Hit[]): readonly RuleTrace[] | undefined {
  if (hits.length === 0) return undefined;
  return hits.map((hit) => ({ ruleId: hit.rule.id, ...TRACES[hit.type] }));
}
