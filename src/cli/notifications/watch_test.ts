/**
 * Tests `svc notifications watch` with a reachable platform, and with one that is intermittently
 * unreachable.
 */
import assert from "node:assert/strict";
import { withPlatform } from "../_test_platform.ts";
import { runCli } from "../_test_run.ts";

const ENV = { SVC_API_URL: "http://platform.test", SVC_TOKEN: "svc_watch_0123456789abcdef" };

const sse = (...messages: readonly object[]) =>
  new Response(messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" },
  });

const arrival = (number: number) => ({
  type: "notification",
  id: `01890000-0000-7000-8000-00000000000${number}`,
  event: "deployment.live",
  category: "Deployment",
  priority: "NORMAL",
  title: `n${number}`,
  body: "It is live",
  actionUrl: null,
  data: {},
  workspaceId: null,
  read: false,
  readAt: null,
  archived: false,
  archivedAt: null,
  createdAt: "2026-11-21T10:00:00.000Z",
});

Deno.test("notifications watch shows incoming notifications, one object per line", () =>
  withPlatform(async (bench) => {
    const stop = new AbortController();
    const { stdout, code } = await bench.run(["notifications", "watch", "--json"], {
      signal: stop.signal,
      onStdout: (text) => {
        const { type } = JSON.parse(text);
        if (type === "counts" && JSON.parse(text).total === 0) {
          void bench.json(["trigger", "deployment.live", "--data", "project=blog"]);
        }
        if (type === "notification") stop.abort();
      },
    });
    assert.equal(code, 0);
    const [counts, told] = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
    assert.equal(counts.unread, 0);
    assert.deepEqual([told.title, told.data], ["blog is live", { project: "blog" }]);
  }));

Deno.test("notifications watch resumes after a lost connection", async () => {
  const stop = new AbortController();
  const asked: (string | null)[] = [];
  const answers = [
    () => sse(arrival(1), arrival(2)),
    () => Promise.reject(new TypeError("connection refused")),
    () => new Response("", { status: 503 }),
    () => sse(arrival(3)),
  ];
  const { stdout, stderr } = await runCli(["notifications", "watch"], {
    env: ENV,
    signal: stop.signal,
    fetch: (_, init) => {
      asked.push(new Headers(init?.headers).get("last-event-id"));
      return Promise.resolve(answers[asked.length - 1]!());
    },
    sleep: () => Promise.resolve(),
    onStdout: (text) => text.includes("n3") && stop.abort(),
  });
  const second = arrival(2).id;
  assert.deepEqual(asked, [null, second, second, second]);
  assert.deepEqual([...stdout.matchAll(/NORMAL (n\d)/g)].map(([, title]) => title), [
    "n1",
    "n2",
    "n3",
  ]);
  assert.equal(stderr.match(/Connection lost/g)?.length, 1);
});

Deno.test("notifications watch fails immediately if nothing responds", async () => {
  const { code, stderr } = await runCli(["notifications", "watch"], {
    env: ENV,
    fetch: () => Promise.reject(new TypeError("connection refused")),
  });
  assert.equal(code, 1);
  assert.match(stderr, /platform\.test/);
});
