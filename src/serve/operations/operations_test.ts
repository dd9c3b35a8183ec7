import assert from "node:assert/strict";
import { answerOperations, type OperationsOptions } from "./answer_operations.ts";
import { renderMetrics, RequestCounters } from "./metrics.ts";

const OPTIONS: OperationsOptions = {
  unready: () => undefined,
  trouble: () => undefined,
  metrics: () => "measured",
  metricsToken: undefined,
  isProxied: false,
};

interface Row {
  readonly name: string;
  readonly path: string;
  readonly options?: Partial<OperationsOptions>;
  readonly address?: string;
  readonly headers?: Record<string, string>;
  readonly method?: string;
  /** `undefined` if the request is passed on, for example to the API. */
  readonly status: number | undefined;
}

const TOKEN = { metricsToken: "secret-token" };
const ROWS: readonly Row[] = [
  { name: "alive", path: "/healthz", address: "203.0.113.9", status: 200 },
  {
    name: "alive but not ready",
    path: "/healthz",
    options: { unready: () => "x" },
    status: 200,
  },
  { name: "ready", path: "/readyz", address: "203.0.113.9", status: 200 },
  { name: "not ready", path: "/readyz", options: { unready: () => "stopping" }, status: 503 },
  { name: "metrics on this machine", path: "/metrics", status: 200 },
  { name: "metrics over IPv6", path: "/metrics", address: "::1", status: 200 },
  { name: "metrics from elsewhere", path: "/metrics", address: "203.0.113.9", status: 403 },
  {
    name: "metrics via a proxy on this machine",
    path: "/metrics",
    headers: { "x-forwarded-for": "203.0.113.9" },
    status: 403,
  },
  { name: "metrics behind a proxy", path: "/metrics", options: { isProxied: true }, status: 403 },
  { name: "metrics without the token", path: "/metrics", options: TOKEN, status: 403 },
  {
    name: "metrics with the wrong token",
    path: "/metrics",
    options: TOKEN,
    headers: { authorization: "Bearer secret-tokem" },
    status: 403,
  },
  {
    name: "metrics with the token, from elsewhere",
    path: "/metrics",
    options: { ...TOKEN, isProxied: true },
    address: "203.0.113.9",
    headers: { authorization: "Bearer secret-token" },
    status: 200,
  },
  { name: "another method", path: "/metrics", method: "POST", status: 405 },
  { name: "another path", path: "/metricsx", status: undefined },
];

for (const { name, path, options, address = "127.0.0.1", headers = {}, method, status } of ROWS) {
  Deno.test(`answerOperations(): ${name}`, () => {
    const request = new Request(`http://localhost${path}`, {
      headers,
      ...(method === undefined ? {} : { method }),
    });
    const answer = answerOperations({ request, path, address }, { ...OPTIONS, ...options });
    assert.equal(answer?.status, status);
  });
}

Deno.test("renderMetrics() writes Prometheus's text format", () => {
  const counters = new RequestCounters();
  for (const status of [200, 204, 503, 999]) counters.add("api", status);
  counters.add("edge", 200);
  const metrics = renderMetrics({
    unhandledErrors: 2,
    version: "1.2.3",
    isReady: true,
    startedAt: 1_800_000_000,
    cpuSeconds: 1.5,
    residentBytes: 1024,
    heapBytes: 512,
    counters,
    edges: [
      { name: "far", isConnected: true, isLocal: false, answers: [0, 7, 0, 1, 0] },
      { name: "local-1", isConnected: true, isLocal: true, answers: [0, 3, 0, 2, 0] },
    ],
  });
  assert.match(metrics, /^svc_edge_connected\{edge="far"\} 1$/m);
  assert.match(metrics, /^svc_edge_requests_total\{edge="far",code="2xx"\} 7$/m);
  assert.ok(metrics.includes("\nsvc_unhandled_errors_total 2\n"));
  assert.match(metrics, /^svc_build_info\{version="1\.2\.3"\} 1$/m);
  assert.match(metrics, /^svc_http_requests_total\{part="api",code="2xx"\} 2$/m);
  assert.match(metrics, /^svc_http_requests_total\{part="api",code="5xx"\} 2$/m);
  assert.match(metrics, /^svc_http_requests_total\{part="edge",code="2xx"\} 4$/m);
  assert.match(metrics, /^svc_http_requests_total\{part="edge",code="4xx"\} 2$/m);
  const line =
    /^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})? [\d.e+]+)$/;
  for (const each of metrics.trimEnd().split("\n")) assert.match(each, line);
});
