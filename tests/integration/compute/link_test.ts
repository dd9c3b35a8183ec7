/**
 * Servers that edge threads reach themselves, while the platform starts, bounds and
 * ends them. The threads are played by members of this process.
 */
import assert from "node:assert/strict";
import { until } from "../../../src/lib/_test_until.ts";
import { type ComputeResult, ServerLinks, shareSlots } from "../../../src/runtime/mod.ts";
import { LinkedServers } from "../../../src/runtime/compute/link/mod.ts";
import { computeServer, type TestOptions, writeModules } from "../../helpers/compute_server.ts";

const ENTRY = `
import { createServer } from "node:http";
const held = [];
let running = 0, most = 0;
createServer((request, response) => {
  // With its length: node:http of Deno 2.6 sends chunks otherwise.
  if (request.url === "/held") {
    return response.writeHead(200, { "content-length": 1 }).end(String(held.length));
  }
  if (request.url === "/release-first") {
    held.shift()?.end("held");
    return response.end();
  }
  if (request.url === "/release") {
    for (const each of held.splice(0)) each.end("held");
    return response.end();
  }
  most = Math.max(most, ++running);
  response.on("close", () => running--);
  switch (request.url) {
    case "/hold": held.push(response); return;
    case "/most": return response.end(String(most));
    case "/exit": process.exit(3);
    case "/hang": return;
    case "/log": console.log("a line"); return response.end("logged");
    default: return response.end("hello");
  }
}).listen(process.env.PORT);
`;

const THREADS = 2;
/** How long a request may be held: longer than a test takes on the busiest machine. */
const HELD_MS = 120_000;
let requests = 0;

/** A server with what two threads know of it. */
async function linked(options: TestOptions = {}) {
  const directory = await writeModules({ "entry.mjs": ENTRY });
  const slots = shareSlots(THREADS, 4);
  const links = new ServerLinks(slots);
  const limits = { timeoutMs: HELD_MS, ...options.limits };
  const test = computeServer({ directory, link: { links, layer: "server" }, ...options, limits });
  const threads = Array.from({ length: THREADS }, (_, index) =>
    new LinkedServers({
      ...{ slots, member: index + 1 },
      explain: (failure) => links.explain(failure),
      left: (slot) => links.left(slot),
    }));
  links.onOpened = (lease) => {
    for (const thread of threads) thread.opened(lease);
  };
  /** Sends a request from a thread; "handed over" where the platform has to answer it. */
  const ask = async (thread: number, target: string, method = "GET"): Promise<string> => {
    const result = await threads[thread]!.find("dpl_test", "server")?.fetch({
      ...{ method, target, headers: [["host", "app.example"]], body: null },
      requestId: `thread_${++requests}`,
    });
    return result === undefined ? "handed over" : await textOf(result);
  };
  return {
    ...{ ...test, links, threads },
    askFrom: ask,
    /** Has a thread hold a request at the server; the answer comes with `release()`. */
    async hold(
      thread: number,
      count = 1,
      method = "GET",
    ): Promise<{ readonly answer: Promise<string> }> {
      const answer = ask(thread, "/hold", method);
      await until(async () => await test.ask("/held") === `200 ${count}`);
      return { answer };
    },
    release: () => test.ask("/release"),
    async [Symbol.asyncDispose]() {
      await test[Symbol.asyncDispose]();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

/** Asks a server behind the back of those who supervise it; returns the last line. */
async function askSocket(path: string, target: string): Promise<string> {
  using conn = await Deno.connect({ transport: "unix", path });
  const head = `GET ${target} HTTP/1.1\r\nhost: app.example\r\nconnection: close\r\n\r\n`;
  await conn.write(new TextEncoder().encode(head));
  const text = await new Response(conn.readable).text();
  return text.split("\r\n").at(-1)!;
}

async function textOf(result: ComputeResult): Promise<string> {
  if (result.type === "failed") return `${result.reason}: ${result.message}`;
  const { status, body, bytes } = result.response;
  return `${status} ${await new Response(bytes ?? body).text()}`;
}

Deno.test("threads reach a server from when it listens until it is shut down", async () => {
  await using test = await linked();
  assert.equal(await test.askFrom(0, "/"), "handed over");
  assert.equal(await test.ask("/"), "200 hello");
  for (const thread of [0, 1, 0]) assert.equal(await test.askFrom(thread, "/"), "200 hello");
  await test.server.drain(0);
  assert.equal(await test.askFrom(0, "/"), "handed over");
});

Deno.test("a server that crashes under a thread's request fails it with the reason, and is started again", async () => {
  await using test = await linked();
  const failures: string[] = [];
  test.server.failedElsewhere = ({ reason }) => failures.push(reason);
  await test.ask("/");
  const answer = await test.askFrom(0, "/exit");
  assert.match(answer, /^crashed: .*3/);
  assert.deepEqual(failures, ["crashed"]);
  assert.equal(await test.askFrom(0, "/"), "handed over");
  assert.equal(await test.ask("/"), "200 hello");
  assert.equal(await test.askFrom(0, "/"), "200 hello");
  assert.equal(test.server.succeededElsewhere!(), true);
  assert.equal(test.server.succeededElsewhere!(), false);
});

Deno.test("a server with a thread's request is not idle, and one that ended for being idle is closed", async () => {
  const limits = { idleMs: 1 };
  await using busy = await linked({ limits });
  await using idle = await linked({ limits });
  const ended = ({ logs }: typeof busy) => logs.some(({ message }) => message.includes("nothing"));
  // The server never has nothing to do before the thread's request is there.
  const first = busy.ask("/hold");
  await until(async () => await busy.ask("/held") === "200 1");
  const held = await busy.hold(0, 2);
  await busy.ask("/release-first");
  assert.equal(await first, "200 held");
  for (let round = 0; round < 2; round++) {
    await idle.ask("/");
    await until(() => ended(idle));
    idle.logs.splice(0);
    assert.equal(await idle.askFrom(0, "/"), "handed over");
  }
  assert.equal(ended(busy), false);
  await busy.release();
  assert.equal(await held.answer, "200 held");
  await until(() => ended(busy));
  assert.equal(await busy.askFrom(0, "/"), "handed over");
});

Deno.test("a server that another deployment follows takes no new request, and finishes those of threads", async () => {
  await using test = await linked();
  await test.ask("/");
  const { answer } = await test.hold(0);
  const [lease] = test.links.leases();
  let isDrained = false;
  const draining = test.server.drain(60_000).then(() => isDrained = true);
  assert.equal(await test.askFrom(0, "/"), "handed over");
  assert.equal(await test.askFrom(1, "/"), "handed over");
  assert.equal(isDrained, false);
  await askSocket(lease!.socketPath, "/release");
  assert.equal(await answer, "200 held");
  await draining;
});

Deno.test("a thread that ends gives its places back", async () => {
  await using test = await linked({ limits: { maxConcurrent: 2, timeoutMs: 1000 } });
  await test.ask("/");
  await test.hold(0);
  await test.hold(0, 2);
  const waiting = test.ask("/");
  const draining = test.server.drain(60_000);
  test.links.memberEnded(1);
  assert.equal(await waiting, "200 hello");
  await draining;
});

Deno.test("what a thread asked a server that the platform has ended is handed over", async () => {
  await using test = await linked();
  await test.ask("/");
  const { answer } = await test.hold(0);
  await test.server.drain(0);
  assert.equal(await answer, "handed over");
});

Deno.test("what must not be sent twice fails where the platform has ended the server", async () => {
  await using test = await linked();
  await test.ask("/");
  const { answer } = await test.hold(0, 1, "POST");
  await test.server.drain(0);
  assert.match(await answer, /aborted/);
});

Deno.test("a thread's request that takes too long is a timeout, named in the log", async () => {
  await using test = await linked({ limits: { timeoutMs: 1000 } });
  await test.ask("/");
  assert.match(
    await test.askFrom(0, "/hang"),
    /^timeout: The server did not answer within 1000 ms/,
  );
  const line = test.logs.find(({ message }) => message.startsWith("GET /hang"));
  assert.equal(line?.requestId, `thread_${requests}`);
});

Deno.test("a line of a server names the request of the thread that has the only one", async () => {
  await using test = await linked();
  await test.ask("/");
  assert.equal(await test.askFrom(1, "/log"), "200 logged");
  await until(() => test.logs.some(({ message }) => message === "a line"));
  const line = test.logs.find(({ message }) => message === "a line");
  assert.equal(line?.requestId, `thread_${requests}`);
});

Deno.test("the limit of requests holds over threads and platform, and who waits gets the next place", async () => {
  await using test = await linked({ limits: { maxConcurrent: 3, maxQueued: 1 } });
  await test.ask("/");
  const [lease] = test.links.leases();
  const held = [test.askFrom(0, "/hold"), test.askFrom(1, "/hold"), test.ask("/hold")];
  await until(async () => await askSocket(lease!.socketPath, "/held") === "3");
  // All three places are taken: a thread hands over, and one request waits in the platform.
  const waiting = test.ask("/most");
  assert.equal(await test.ask("/"), "overloaded");
  assert.equal(await test.askFrom(0, "/"), "handed over");
  await askSocket(lease!.socketPath, "/release");
  assert.deepEqual(await Promise.all(held), ["200 held", "200 held", "200 held"]);
  assert.equal(await waiting, "200 3");
  assert.equal(await test.askFrom(0, "/"), "200 hello");
});
