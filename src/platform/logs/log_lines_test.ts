import assert from "node:assert/strict";
import fc from "fast-check";
import type { AccessRecord } from "../../edge/mod.ts";
import { formatLogLine, toLogEntry } from "./log_lines.ts";

const record = fc.record({
  time: fc.double({ min: 0, max: 4e12, noNaN: true }),
  deploymentId: fc.uuid(),
  projectId: fc.uuid(),
  requestId: fc.stringMatching(/^[0-9a-f]{10}-[0-9a-z]{1,8}$/),
  method: fc.constantFrom("GET", "POST", "M'ERGE"),
  host: fc.domain(),
  path: fc.string().map((text) => `/${text}`),
  status: fc.integer({ min: 100, max: 599 }),
  bytes: fc.nat(),
  durationMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
  ip: fc.oneof(fc.ipV4(), fc.ipV6()),
  userAgent: fc.option(fc.string({ unit: "binary" })),
});

Deno.test("formatLogLine() writes a plain request as its entry's JSON", () => {
  fc.assert(fc.property(record, (plain: AccessRecord) => {
    const line = formatLogLine(plain);
    assert.deepEqual(JSON.parse(line), JSON.parse(JSON.stringify(toLogEntry(plain))));
    assert.ok(!line.includes("\n"));
  }));
});

Deno.test("formatLogLine() includes the outcomes of rules, and the error", () => {
  const [plain] = fc.sample(record, 1);
  const rules = [{ ruleId: "x", action: "deny", outcome: "denied" as const }];
  const line = formatLogLine({ ...plain!, rules, error: "Cannot reach a.test: reset" });
  const { rules: shown, error } = JSON.parse(line);
  assert.deepEqual([shown, error], [rules, "Cannot reach a.test: reset"]);
});

Deno.test("formatLogLine() writes a function's output", () => {
  const line = formatLogLine({
    projectId: "p",
    deploymentId: "d",
    time: 0,
    level: "info",
    function: "api",
    message: "two\nlines",
  });
  assert.deepEqual(JSON.parse(line), {
    type: "function",
    time: "1970-01-01T00:00:00.000Z",
    deploymentId: "d",
    requestId: null,
    function: "api",
    level: "info",
    message: "two\nlines",
    stack: null,
  });
});

Deno.test("formatLogLine() writes a server's output", () => {
  const line = formatLogLine({
    projectId: "p",
    deploymentId: "d",
    time: 0,
    level: "warn",
    layer: "app",
    requestId: "r",
    message: "low",
  });
  assert.deepEqual(JSON.parse(line), {
    type: "server",
    time: "1970-01-01T00:00:00.000Z",
    deploymentId: "d",
    requestId: "r",
    layer: "app",
    level: "warn",
    message: "low",
  });
});
