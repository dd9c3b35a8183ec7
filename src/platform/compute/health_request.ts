/**
 * The request that shows whether a server answers at all, before anybody sees it.
 *
 * @module
 */
import type { ComputeRequest, ComputeResult } from "../../runtime/mod.ts";

/** Longest time to the head of the answer, in milliseconds. */
export const HEALTH_MS = 30_000;

export interface HealthRequest {
  /** Path and query that are requested. */
  readonly path: string;
  /** Address of the deployment. */
  readonly url: string;
  /** Longest time that the server may take, in milliseconds. */
  readonly timeoutMs: number;
  readonly requestId: string;
  readonly fetch: (request: ComputeRequest) => Promise<ComputeResult>;
}

function whyNot(
  { path, timeoutMs }: HealthRequest,
  { reason, message }: Extract<ComputeResult, { readonly type: "failed" }>,
): string {
  const late = reason === "aborted" || reason === "timeout";
  const seconds = Math.min(timeoutMs, HEALTH_MS) / 1000;
  const what = late
    ? `it listens, but did not answer GET ${path} within ${seconds} s`
    : `it did not answer GET ${path}: ${message}`;
  return `${what}. If another path shows that it is ready, write health = "/path" to [build] in svc.toml`;
}

/** Sends the request; returns why the server does not answer, `undefined` where it does in any way. */
export async function findSilence(request: HealthRequest): Promise<string | undefined> {
  const { path, url, requestId, fetch } = request;
  const { host, protocol } = new URL(url);
  const result = await fetch({
    method: "GET",
    target: path,
    headers: [
      ["host", host],
      ["user-agent", "svc-health"],
      ["accept", "*/*"],
      ["x-forwarded-for", "127.0.0.1"],
      ["x-forwarded-host", host],
      ["x-forwarded-proto", protocol.slice(0, -1)],
    ],
    body: null,
    requestId,
    signal: AbortSignal.timeout(HEALTH_MS),
  });
  if (result.type === "failed") return whyNot(request, result);
  await result.response.body?.cancel().catch(() => {});
  return undefined;
}
