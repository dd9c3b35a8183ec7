import assert from "node:assert/strict";
import type { LogEntry } from "../../contract/logs.ts";
import { createSecretMasker } from "../../lib/mask_secrets.ts";
import { decodeOtlp, recordsOf } from "./_test_receiver.ts";
import {
  buildLineRecord,
  createResource,
  entryRecord,
  errorRecord,
  MAX_TEXT,
  readTrace,
} from "./log_records.ts";
import { packLogs } from "./post_batch.ts";

const TIME = "2026-11-27T10:00:00.250Z";
const DEPLOYMENT = "019abf2e-7c4d-7e1a-9b3f-5d6c7a8b9e01";
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const owner = {
  resource: createResource({ "service.name": "shop", "service.version": DEPLOYMENT }),
  mask: createSecretMasker(["hunter22"]).mask,
};
const request: LogEntry = {
  type: "request",
  time: TIME,
  deploymentId: DEPLOYMENT,
  requestId: "r1",
  method: "GET",
  host: "shop.example.net",
  path: "/menu?day=1?&token=hunter22",
  status: 503,
  bytes: null,
  durationMs: 12.5,
  ip: "203.0.113.7",
  userAgent: "curl/8.5.0",
  traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
  error: "server did not respond",
  rules: [{ ruleId: "noted", action: "log", outcome: "logged" }],
};
const line = { time: TIME, deploymentId: DEPLOYMENT, requestId: "r1" } as const;

const sent = async (...records: ReturnType<typeof entryRecord>[]) =>
  recordsOf(decodeOtlp("/v1/logs", await packLogs(records.map(({ record }) => record))));

Deno.test("entryRecord() describes a request and its trace according to the conventions", async () => {
  const [record] = await sent(entryRecord(owner, request));
  assert.deepEqual(record, {
    body: "GET /menu?day=1?&token=••• 503",
    severity: "ERROR",
    traceId: TRACE,
    resource: { "service.name": "shop", "service.version": DEPLOYMENT },
    attributes: {
      "http.request.method": "GET",
      "url.path": "/menu",
      "url.query": "day=1?&token=•••",
      "server.address": "shop.example.net",
      "http.response.status_code": 503,
      "client.address": "203.0.113.7",
      "user_agent.original": "curl/8.5.0",
      "error.message": "server did not respond",
      "svc.duration_ms": 12.5,
      "svc.request_id": "r1",
      "svc.rules": { values: [{ stringValue: "noted logged" }] },
    },
  });
});

Deno.test("each kind of log record has its own attributes", async () => {
  const [func, server, build, error] = await sent(
    entryRecord(owner, {
      ...line,
      type: "function",
      function: "hello",
      level: "error",
      message: "Error: hunter22",
      stack: "at hello (a.ts:1)",
    }),
    entryRecord(owner, {
      ...line,
      type: "server",
      layer: "web",
      level: "warn",
      message: "low \ud800 disk",
    }),
    buildLineRecord(owner, { number: 3, time: TIME, level: "output", text: "Compiled" }),
    errorRecord(owner, {
      version: 1,
      id: "e1",
      kind: "server",
      source: "web",
      title: "TypeError: x",
      stack: "at x",
      count: 7,
      firstSeen: 1,
      lastSeen: 2000,
      broughtBy: DEPLOYMENT,
      deployments: [],
      samples: [],
    }),
  );
  assert.equal(func!.body, "Error: •••");
  assert.deepEqual(func!.attributes, {
    "svc.request_id": "r1",
    "faas.name": "hello",
    "exception.message": "Error: •••",
    "exception.stacktrace": "at hello (a.ts:1)",
  });
  assert.equal(server!.severity, "WARN");
  assert.equal(server!.body, "low \ufffd disk");
  assert.deepEqual(build!.attributes, { "svc.build.line": 3 });
  assert.equal(build!.severity, "INFO");
  assert.equal(error!.attributes["svc.error.count"], 7);
});

Deno.test("a huge line is shortened, and states how much was left out", async () => {
  const message = "x".repeat(3 * MAX_TEXT);
  const record = entryRecord(owner, {
    ...line,
    type: "server",
    layer: "web",
    level: "info",
    message,
  });
  assert.ok(record.size < 2 * MAX_TEXT);
  const [short] = await sent(record);
  assert.equal(short?.body, `${"x".repeat(MAX_TEXT)}… (${2 * MAX_TEXT} characters left out)`);
});

Deno.test("readTrace() accepts only a complete traceparent", () => {
  const span = "00f067aa0ba902b7";
  for (
    const text of [
      undefined,
      "",
      "x",
      `00-${TRACE}-${span}`,
      `00-${TRACE.toUpperCase()}-${span}-01`,
      `00-${"0".repeat(32)}-${span}-01`,
      `00-${TRACE}-${"0".repeat(16)}-01`,
    ]
  ) assert.equal(readTrace(text), undefined, `${text}`);
  assert.deepEqual(readTrace(`00-${TRACE}-${span}-01`), {
    traceId: TRACE,
    spanId: span,
    traceFlags: 1,
  });
});
