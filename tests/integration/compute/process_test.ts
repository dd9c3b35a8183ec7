/** Tests how servers in the COMPUTE layer are started, called, limited and stopped. */
import assert from "node:assert/strict";
import { until } from "../../../src/lib/_test_until.ts";
import { computeServer, onEachEngine, writeModules } from "../../helpers/compute_server.ts";

const ENTRY = `
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
const closed = [];
let events;
const handlers = {
  "/env": (_request, response) => response.end(JSON.stringify({ ...process.env })),
  "/where": (request, response) => response.end(JSON.stringify({
    argv: process.argv.slice(1),
    cwd: process.cwd(),
    address: server.address(),
    peer: request.socket.remoteAddress,
  })),
  "/headers": (request, response) => response.end(JSON.stringify(request.headers)),
  "/cookies": (_request, response) => response.writeHead(201, [["set-cookie", "a=1"], ["set-cookie", "b=2"]]).end("made"),
  "/empty": (_request, response) => response.writeHead(204).end(),
  "/size": async (request, response) => {
    let size = 0;
    for await (const chunk of request) size += chunk.length;
    response.end(String(size));
  },
  "/echo": (request, response) => request.pipe(response),
  "/early": (_request, response) => response.writeHead(413).end("too large"),
  "/events": (_request, response) => {
    events = response;
    response.write("data: first\\n\\n");
  },
  "/last-event": (_request, response) => {
    events.end("data: last\\n\\n");
    response.end();
  },
  "/endless": (_request, response) => {
    const timer = setInterval(() => response.write("x"), 5);
    response.on("close", () => {
      clearInterval(timer);
      closed.push("endless");
    });
  },
  "/awaited": async (request, response) => {
    let bytes = 0;
    for await (const chunk of request) bytes += chunk.byteLength;
    response.end(String(bytes));
  },
  "/closed": (_request, response) => response.end(closed.join()),
  "/slow": async (_request, response) => response.end(await sleep(200, "slow")),
  "/hang": () => {},
  "/loop": () => { for (;;); },
  "/exit": () => process.exit(3),
  "/throw": () => setTimeout(() => { throw new Error("nobody catches this"); }),
  "/cut": (_request, response) => { response.writeHead(200, { "content-length": 10 }); response.write("half"); setTimeout(() => process.exit(), 20); },
  "/log": async (_request, response) => {
    console.warn("warned %d", 5);
    await sleep(5);
    process.stdout.write("written\\n");
    response.end();
  },
};
const server = createServer((request, response) => {
  const handler = handlers[request.url.split("?")[0]];
  if (handler === undefined) return response.writeHead(404).end("no " + request.url);
  return handler(request, response);
});
server.listen(process.env.PORT, process.env.HOST);
`;

const directory = await writeModules({ "entry.mjs": ENTRY });

const lines = (count: number): ReadableStream<Uint8Array> => {
  let left = count;
  return new ReadableStream({
    pull(controller) {
      if (left-- === 0) controller.close();
      else controller.enqueue(new Uint8Array(64 * 1024));
    },
  });
};

onEachEngine("a server sees its own variables and nothing else", async ({ serve, engine }) => {
  await using app = serve({ directory, env: { GREETING: "hello", PORT: "4321" } });
  const inside = engine === "node" ? "/app" : directory;
  const env = JSON.parse((await app.ask("/env")).slice(4));
  assert.deepEqual([env.TMP, env.TEMP], [env.TMPDIR, env.TMPDIR]);
  if (engine === "node") assert.equal(env.TMPDIR, "/tmp");
  const { TMPDIR, TMP, TEMP } = env;
  assert.deepEqual(env, {
    TMPDIR,
    TMP,
    TEMP,
    ...(engine === "node" ? { HOME: "/tmp", NODE_ENV: "production" } : {}),
    GREETING: "hello",
    HOST: "127.0.0.1",
    PORT: "4321",
  });
  assert.deepEqual(JSON.parse((await app.ask("/where")).slice(4)), {
    argv: [`${inside}/entry.mjs`],
    cwd: inside,
    address: { address: "127.0.0.1", port: 4321, family: "IPv4" },
    peer: "127.0.0.1",
  });
});

onEachEngine("requests and responses pass unchanged", async ({ serve, t }) => {
  await using app = serve({ directory });
  await t.step("headers pass, except connection-specific ones", async () => {
    const answer = await app.ask("/headers?a=b", {
      headers: [["host", "app.example"], ["connection", "x-drop"], ["x-drop", "1"], ["x-a", "1"], [
        "x-svc-request-id",
        "forged",
      ]],
      requestId: "req_given",
    });
    const { connection: _, ...headers } = JSON.parse(answer.slice(4));
    assert.deepEqual(headers, {
      "host": "app.example",
      "x-a": "1",
      "x-svc-request-id": "req_given",
    });
  });
  await t.step("status and repeated headers pass", async () => {
    const result = await app.get("/cookies");
    assert.ok(result.type === "response");
    assert.equal(result.response.status, 201);
    const cookies = result.response.headers.filter(([name]) => name.toLowerCase() === "set-cookie");
    assert.deepEqual(cookies.map(([, value]) => value), ["a=1", "b=2"]);
    assert.equal(await new Response(result.response.body).text(), "made");
  });
  await t.step("there is no body where HTTP allows none", async () => {
    const empty = await app.get("/empty");
    assert.ok(empty.type === "response" && empty.response.body === null);
    const head = await app.get("/headers", { method: "HEAD" });
    assert.ok(head.type === "response" && head.response.body === null);
  });
  await t.step("large bodies pass in both directions", async () => {
    const size = 160 * 64 * 1024;
    assert.equal(await app.ask("/size", { method: "POST", body: lines(160) }), `200 ${size}`);
    const result = await app.get("/echo", { method: "POST", body: lines(160) });
    assert.ok(result.type === "response");
    let bytes = 0;
    for await (const part of result.response.body!) bytes += part.byteLength;
    assert.equal(bytes, size);
  });
  await t.step("a request with or without a body can be read", async () => {
    assert.equal(await app.ask("/awaited"), "200 0");
    assert.equal(await app.ask("/awaited", { method: "POST", body: lines(1) }), `200 ${64 * 1024}`);
  });
  await t.step("a response can start before the request body ends", async () => {
    const body = new ReadableStream<Uint8Array>({ start: (c) => c.enqueue(new Uint8Array(10)) });
    assert.equal(await app.ask("/early", { method: "POST", body }), "413 too large");
  });
  await t.step("events arrive as they are sent", async () => {
    const result = await app.get("/events");
    assert.ok(result.type === "response");
    const events = result.response.body!.pipeThrough(new TextDecoderStream()).getReader();
    assert.equal((await events.read()).value, "data: first\n\n");
    await app.ask("/last-event");
    assert.equal((await events.read()).value, "data: last\n\n");
    assert.equal((await events.read()).done, true);
  });
});

onEachEngine("a server notices that its client has left", async ({ serve }) => {
  await using app = serve({ directory });
  const leaving = new AbortController();
  const result = await app.get("/endless", { signal: leaving.signal });
  assert.ok(result.type === "response");
  await result.response.body!.getReader().read();
  leaving.abort();
  await until(async () => await app.ask("/closed") === "200 endless");
});

onEachEngine(
  "a request fails without a timely response, and the server keeps running",
  async ({ serve }) => {
    await using app = serve({ directory, limits: { timeoutMs: 3000 } });
    await app.server.start();
    const [hanging, slow] = await Promise.all([app.ask("/hang"), app.ask("/closed")]);
    assert.equal(hanging, "timeout");
    assert.equal(slow, "200 ");
    assert.equal(app.logs.filter(({ message }) => /cold start/.test(message)).length, 1);
    assert.ok(
      app.logs.some(({ message, requestId }) =>
        message === "GET /hang: The server did not respond within 3000 ms" &&
        requestId !== undefined
      ),
    );
  },
);

onEachEngine("a server that does not respond is stopped and restarted", async ({ serve }) => {
  await using app = serve({ directory, limits: { timeoutMs: 1000 } });
  await app.server.start();
  assert.equal(await app.ask("/loop"), "timeout");
  await until(() => app.logs.some(({ message }) => /stopped responding/.test(message)));
  assert.equal(await app.ask("/closed"), "200 ");
});

for (const path of ["/exit", "/throw"]) {
  onEachEngine(
    `a crash fails its request, and the next request restarts the server (${path})`,
    async ({ serve }) => {
      await using app = serve({ directory });
      await app.server.start();
      assert.equal(await app.ask(path), "crashed");
      const { healthy } = await app.server.check();
      assert.equal(healthy, false);
      assert.equal(await app.ask("/closed"), "200 ");
      assert.equal((await app.server.check()).healthy, true);
      const crash = app.logs.find(({ level }) => level === "error")!;
      assert.match(
        crash.message,
        /process\.exit\(3\)|Error: nobody catches this\n.*entry\.mjs:\d+:\d+/,
      );
    },
  );
}

onEachEngine("a response breaks off when its server exits", async ({ serve }) => {
  await using app = serve({ directory });
  const result = await app.get("/cut");
  assert.ok(result.type === "response");
  await assert.rejects(new Response(result.response.body).text());
});

onEachEngine(
  "a server that cannot start fails its requests and is retried after pauses",
  async ({ serve }) => {
    const broken = await writeModules({ "entry.mjs": "throw new Error('at load');" });
    await using app = serve({ directory: broken });
    const result = await app.get("/");
    assert.ok(result.type === "failed" && result.reason === "cannot_start");
    assert.equal(result.message, "Error: at load");
    for (let more = 0; more < 5; more++) await app.ask("/");
    const paused = await app.get("/");
    assert.ok(paused.type === "failed");
    assert.match(paused.message, /^Error: at load \(starts again in \d s\)$/);
    assert.deepEqual(await app.server.check(), { healthy: false, reason: "Error: at load" });
  },
);

onEachEngine("a server that never listens is stopped", async ({ serve }) => {
  const silent = await writeModules({ "entry.mjs": "setInterval(() => {}, 1000);" });
  await using app = serve({ directory: silent, limits: { startMs: 4000 } });
  const result = await app.get("/");
  assert.ok(result.type === "failed");
  assert.match(result.message, /^The server did not listen within 4 s: /);
});

onEachEngine("an idle server stops, and the next request restarts it", async ({ serve }) => {
  await using app = serve({ directory, limits: { idleMs: 100 } });
  assert.equal(await app.ask("/closed"), "200 ");
  await until(() => app.logs.some(({ message }) => /it was idle/.test(message)));
  assert.deepEqual(await app.server.check(), { healthy: true, latencyMs: 0 });
  assert.equal(await app.ask("/closed"), "200 ");
});

onEachEngine(
  "requests over the limit wait, and are refused if the queue is full",
  async ({ serve }) => {
    await using app = serve({ directory, limits: { maxConcurrent: 2, maxQueued: 2 } });
    await app.server.start();
    const answers = await Promise.all(Array.from({ length: 6 }, () => app.ask("/slow")));
    assert.deepEqual(answers.sort(), [
      ...Array<string>(4).fill("200 slow"),
      "overloaded",
      "overloaded",
    ]);
  },
);

onEachEngine("draining waits for running requests and starts no new ones", async ({ serve }) => {
  await using app = serve({ directory });
  await app.server.start();
  // From here on, this request is in progress.
  const slow = app.ask("/slow");
  const drained = app.server.drain(5000);
  assert.equal(await app.ask("/closed"), "cannot_start");
  assert.equal(await slow, "200 slow");
  await drained;
});

onEachEngine("log lines contain the level and the request", async ({ serve }) => {
  await using app = serve({ directory });
  await app.server.start();
  await Promise.all([
    app.ask("/log", { requestId: "req_one" }),
    app.ask("/log", { requestId: "req_two" }),
  ]);
  await until(() => app.logs.filter(({ message }) => message === "written").length === 2);
  const seen = app.logs.filter(({ requestId }) => requestId === "req_one")
    .map(({ level, message }) => [level, message]);
  assert.deepEqual(seen, [["warn", "warned 5"], ["info", "written"]]);
});

Deno.test("modules and Deno.serve respond as node:http does", async (t) => {
  const folder = await writeModules({
    "module.mjs":
      `export default { fetch: async (request) => new Response(request.method + " " + request.url + " " + await request.text()) };`,
    "deno.mjs":
      `Deno.serve({ port: Number(Deno.env.get("PORT")) }, async (request, info) => new Response(request.method + " " + request.url + " " + await request.text() + info.remoteAddr.hostname));`,
  });
  const sent = { method: "POST", body: new Blob(["body"]).stream() };
  await t.step("module", async () => {
    await using app = computeServer({ directory: folder, entry: "module.mjs" });
    assert.equal(await app.ask("/a?b", sent), "200 POST http://app.example/a?b body");
  });
  await t.step("Deno.serve", async () => {
    await using app = computeServer({ directory: folder, entry: "deno.mjs" });
    const body = new Blob(["body"]).stream();
    assert.equal(
      await app.ask("/a?b", { ...sent, body }),
      "200 POST http://app.example/a?b body127.0.0.1",
    );
  });
});

Deno.test("no process outlives a killed platform", async () => {
  const platform = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      new URL("../../helpers/endless_server_program.ts", import.meta.url).pathname,
    ],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const { value } = await platform.stdout.getReader().read();
  const pid = Number(new TextDecoder().decode(value).trim());
  assert.ok(pid > 0);
  platform.kill("SIGKILL");
  await platform.status;
  await until(() => {
    try {
      return /^State:\s+Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
    } catch {
      return true;
    }
  });
});

onEachEngine(
  "a server runs from a linked folder, and fails without its folder",
  async ({ serve, engine }) => {
    const link = `${await Deno.makeTempDir()}/link`;
    await Deno.symlink(directory, link);
    await using linked = serve({ directory: link });
    const { cwd } = JSON.parse((await linked.ask("/where")).slice(4));
    assert.equal(cwd, engine === "node" ? "/app" : directory);
    await using missing = serve({ directory: "/nowhere/at/all" });
    assert.equal(await missing.ask("/"), "cannot_start");
    assert.equal((await missing.server.check()).healthy, false);
  },
);
