import assert from "node:assert/strict";
import type { AccessRecord } from "../../edge/mod.ts";
import type { LogEntry } from "../../contract/logs.ts";
import { eventStream } from "../core/http/event_stream.ts";
import { AccessLogs } from "./access_logs.ts";

const PROJECT = "01890000-0000-7000-8000-000000000002";

function record(requestId: string, projectId = PROJECT): AccessRecord {
  return {
    time: Date.UTC(2026, 0, 1),
    deploymentId: "01890000-0000-7000-8000-000000000001",
    projectId,
    requestId,
    method: "GET",
    host: "shop.localhost",
    path: '/"quoted"\\?q=ü',
    status: 200,
    bytes: 1,
    durationMs: 0.5,
    ip: "127.0.0.1",
    userAgent: "a\nb",
  };
}

const idsOf = (entries: readonly LogEntry[]) => entries.map(({ requestId }) => requestId);

async function withLogs(
  run: (logs: AccessLogs, troubles: string[], root: string) => Promise<void>,
) {
  const root = await Deno.makeTempDir({ prefix: "svc-access-logs-" });
  const troubles: string[] = [];
  const logs = new AccessLogs(root, { onTrouble: (message) => troubles.push(message) });
  try {
    await run(logs, troubles, root);
  } finally {
    await logs.close();
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test("a new listener gets unwritten entries only once, in the same form as when they are read later", () =>
  withLogs(async (logs, troubles) => {
    logs.record(record("1"));
    const received: LogEntry[] = [];
    const stop = logs.follow(PROJECT, (entry) => received.push(entry));
    logs.record(record("2"));
    logs.record(record("other", "01890000-0000-7000-8000-000000000003"));
    await logs.flush();
    assert.deepEqual(idsOf(received), ["1", "2"]);
    const { lines } = await logs.read(PROJECT, { limit: 10 });
    const items = lines.map(({ entry }) => entry);
    assert.deepEqual(received, items);
    stop();
    logs.record(record("3"));
    await logs.flush();
    assert.deepEqual(idsOf(received), ["1", "2"]);
    assert.deepEqual(troubles, []);
  }));

Deno.test("the number of waiting lines is limited, and dropped lines are counted", () =>
  withLogs(async (logs, troubles) => {
    const long = { ...record("long"), path: `/${"x".repeat(1024 * 1024)}` };
    for (let count = 0; count < 40; count++) logs.record(long);
    await logs.flush();
    assert.match(troubles.join(), /^Dropped 8 access log entries/);
    const { lines } = await logs.read(PROJECT, { limit: 100 });
    assert.equal(lines.length, 32);
  }));

Deno.test("a listener that keeps reading gets every entry in a burst", () =>
  withLogs(async (logs) => {
    const closing = new AbortController();
    const { body } = eventStream(
      (send) => logs.follow(PROJECT, (data) => send({ event: "log", id: "", data })),
      { closing: closing.signal, recheck: () => Promise.resolve() },
    );
    for (let count = 0; count < 3000; count++) logs.record(record(String(count)));
    const written = logs.flush().then(() => closing.abort());
    let received = "";
    for await (const text of body!.pipeThrough(new TextDecoderStream())) received += text;
    assert.equal(received.split("event: log").length - 1, 3000);
    await written;
  }));

Deno.test("a removed project leaves nothing behind, even if its lines were being written", () =>
  withLogs(async (logs, troubles, root) => {
    logs.record(record("1"));
    const written = logs.flush();
    await Promise.resolve();
    await logs.remove(PROJECT);
    await written;
    assert.deepEqual(await Array.fromAsync(Deno.readDir(root)), []);
    assert.deepEqual(troubles, []);
  }));
