import assert from "node:assert/strict";
import type { LogEntry } from "../../contract/logs.ts";
import { type LogFilter, logMatcher, searchTest } from "./log_filter.ts";

const shared = {
  time: "2026-01-01T00:00:00.000Z",
  deploymentId: "01890000-0000-7000-8000-000000000001",
  requestId: "r-1",
};
const request = (status: number): LogEntry => ({
  ...shared,
  type: "request",
  method: "GET",
  host: "shop.localhost",
  path: "/cart",
  status,
  bytes: 1,
  durationMs: 1,
  ip: "192.0.2.1",
  userAgent: null,
});
const server: LogEntry = {
  ...shared,
  type: "server",
  layer: "app",
  level: "warn",
  message: "Stock is LOW",
};
const work: LogEntry = {
  ...shared,
  type: "function",
  function: "gate",
  level: "debug",
  message: "checked",
  stack: null,
};
const ENTRIES = { ok: request(200), missing: request(404), broken: request(502), server, work };

const ROWS: readonly (readonly [filter: LogFilter, found: readonly string[]])[] = [
  [{}, ["ok", "missing", "broken", "server", "work"]],
  [{ status: "404" }, ["missing"]],
  [{ status: "5xx" }, ["broken"]],
  [{ method: "get" }, ["ok", "missing", "broken"]],
  [{ method: "POST" }, []],
  [{ host: "Shop.localhost", status: "200" }, ["ok"]],
  [{ host: "shop" }, []],
  [{ path: "/cart" }, ["ok", "missing", "broken"]],
  [{ path: "/car" }, []],
  [{ path: "/car*" }, ["ok", "missing", "broken"]],
  [{ minDurationMs: 1 }, ["ok", "missing", "broken"]],
  [{ minDurationMs: 2 }, []],
  [{ requestId: "r-1" }, ["ok", "missing", "broken", "server", "work"]],
  [{ requestId: "r-" }, []],
  [{ deployments: [] }, []],
  [{ deployments: [shared.deploymentId], level: "error" }, ["broken"]],
  [{ until: "2026-01-01T00:00:00.000Z" }, []],
  [{ until: "2026-01-01T00:00:00.001Z", level: "error" }, ["broken"]],
  [{ level: "debug" }, ["ok", "missing", "broken", "server", "work"]],
  [{ level: "info" }, ["ok", "missing", "broken", "server"]],
  [{ level: "warn" }, ["missing", "broken", "server"]],
  [{ level: "error" }, ["broken"]],
  [{ search: "low" }, ["server"]],
  [{ search: "app" }, ["server"]],
  [{ search: "cart", level: "warn" }, ["missing", "broken"]],
  [{ search: "r-1" }, ["ok", "missing", "broken", "server", "work"]],
  [{ deploymentId: "other" }, []],
  [{ since: "2026-01-01T00:00:00.001Z" }, []],
];

for (const [filter, found] of ROWS) {
  Deno.test(`logMatcher() matches entries by ${JSON.stringify(filter)}`, () => {
    const matches = logMatcher(filter);
    const names = Object.entries(ENTRIES).filter(([, entry]) => matches(entry));
    assert.deepEqual(names.map(([name]) => name), found);
  });
}

Deno.test("searchTest() accepts the JSON of each entry that the search finds", () => {
  const path = '/menu?of="Köln"\\n';
  const entry = { ...request(404), path } as LogEntry;
  const json = JSON.stringify(entry);
  const texts = ["GET shop", "MENU", 'of="', "köln", path, "get", "curl/8", " ", "4", "\\n"];
  for (const search of texts) {
    if (!logMatcher({ search })(entry)) continue;
    assert.equal(searchTest(search)?.(json) ?? true, true, search);
  }
  assert.equal(searchTest("no-such-word")?.(json), false);
});
