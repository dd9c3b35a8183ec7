/** The request that checks whether a server responds before visitors see its deployment. @module */
import type { ComputeRequest, ComputeResult } from "../../runtime/mod.ts";

/** Timeout for the response headers, in milliseconds. */
const HEALTH_MS = 30_000;

/** Pause between requests while the server reports that it is not ready, in milliseconds. */
const PAUSE_MS = 500;

interface HealthRequest {
  /**
   * Path and query for which the server must return a status from 200 to 399. By default, any
   * response to `/` counts.
   */
  readonly path: string | undefined;
  /** Time within which the server must return that status, in milliseconds. */
  readonly readyMs: number;
  readonly url: string;
  readonly timeoutMs: number;
  readonly requestId: string;
  readonly fetch: (request: ComputeRequest) => Promise<ComputeResult>;
}

const ADVICE = 'To use a different path, set health_path = "/path" under [server] in svc.toml';

function whyNot(
  { path = "/", timeoutMs }: HealthRequest,
  { reason, message }: Extract<ComputeResult, { readonly type: "failed" }>,
): string {
  const late = reason === "aborted" || reason === "timeout";
  const seconds = Math.min(timeoutMs, HEALTH_MS) / 1000;
  const what = late
    ? `it listens, but did not respond to GET ${path} within ${seconds} s`
    : `it did not respond to GET ${path}: ${message}`;
  return `${what}. ${ADVICE}`;
}

async function ask({ path = "/", url, requestId, fetch }: HealthRequest): Promise<ComputeResult> {
  const { host, protocol } = new URL(url);
  return await fetch({
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
}

/** Repeats the request while the server is not ready. Returns why the server does not respond. */
export async function findSilence(request: HealthRequest): Promise<string | undefined> {
  const { path, readyMs } = request;
  const patience = AbortSignal.timeout(readyMs);
  for (;;) {
    const result = await ask(request);
    if (result.type === "failed") return whyNot(request, result);
    const { status, body } = result.response;
    await body?.cancel().catch(() => {});
    if (path === undefined || (status >= 200 && status < 400)) return undefined;
    if (patience.aborted) {
      return `GET ${path} (health_path) responded with ${status} for ${
        readyMs / 1000
      } s. It must respond with 200 to 399 when the server is ready. See the server log`;
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(PAUSE_MS, readyMs)));
  }
}
