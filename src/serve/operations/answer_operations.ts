/**
 * Serves `/healthz`, `/readyz` and `/metrics` on the platform's own hosts and IP addresses. @module
 */
import { equalInConstantTime } from "../../lib/hash.ts";
import { METRICS_TYPE } from "./metrics.ts";

export interface OperationsOptions {
  /** Why the platform is not ready; `undefined` if it is ready. */
  readonly unready: () => string | undefined;
  /**
   * Describes degraded features. The platform remains ready, because other nodes may have the same
   * problem.
   */
  readonly trouble: () => string | undefined;
  readonly metrics: () => string;
  /** Bearer token for metrics. If there is none, only this machine can read the metrics. */
  readonly metricsToken: string | undefined;
  /**
   * Whether a proxy is in front of the platform. If so, all requests may appear to come from this
   * machine.
   */
  readonly isProxied: boolean;
}

const text = (status: number, body: string, type = "text/plain; charset=utf-8"): Response =>
  new Response(body, {
    status,
    headers: { "content-type": type, "cache-control": "no-store" },
  });

const isLoopback = (address: string): boolean =>
  /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address) || address === "::1" ||
  address.startsWith("::ffff:127.");

/** Headers that a proxy adds to requests. */
const FORWARDING = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/** Whether a request originated on this machine rather than being forwarded by a proxy on it. */
function isOfThisMachine(request: Request, address: string): boolean {
  return isLoopback(address) && FORWARDING.every((name) => !request.headers.has(name));
}

function mayMeasure(request: Request, address: string, options: OperationsOptions): boolean {
  const { metricsToken, isProxied } = options;
  if (metricsToken === undefined) return !isProxied && isOfThisMachine(request, address);
  const given = request.headers.get("authorization") ?? "";
  return equalInConstantTime(given, `Bearer ${metricsToken}`);
}

function answerMetrics(request: Request, address: string, options: OperationsOptions): Response {
  if (mayMeasure(request, address, options)) return text(200, options.metrics(), METRICS_TYPE);
  return text(
    403,
    "Metrics require a request from this machine or a bearer token: " +
      "set SVC_METRICS_TOKEN on the platform\n",
  );
}

/**
 * Handles a request to `/healthz`, `/readyz` or `/metrics`. Returns `undefined` for all other
 * requests.
 *
 * @param address the remote address of the connection.
 */
export function answerOperations(
  { request, path, address }: {
    readonly request: Request;
    readonly path: string;
    readonly address: string;
  },
  options: OperationsOptions,
): Response | undefined {
  if (path !== "/healthz" && path !== "/readyz" && path !== "/metrics") return undefined;
  if (request.method !== "GET" && request.method !== "HEAD") {
    return text(405, "Use GET or HEAD\n");
  }
  if (path === "/healthz") return text(200, "ok\n");
  if (path === "/metrics") return answerMetrics(request, address, options);
  const reason = options.unready();
  if (reason !== undefined) return text(503, `${reason}\n`);
  const trouble = options.trouble();
  return text(200, trouble === undefined ? "ready\n" : `ready\nBut ${trouble}\n`);
}
