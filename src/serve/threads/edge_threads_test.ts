import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, get, request as httpRequest } from "node:http";
import { listeningSockets } from "../../lib/_test_listening_sockets.ts";
import { until } from "../../lib/_test_until.ts";
import { nextTurn } from "../../lib/next_turn.ts";
import { crash, threadsOptions, withFirstThread, withThreads } from "./_test_threads.ts";
import { EdgeThreads } from "./edge_threads.ts";

Deno.test("EdgeThreads hands requests over with what the client sent", () =>
  withThreads(2, async (parts) => {
    parts.answer = async (request, { remoteAddress, scheme, handedOver }) =>
      Response.json([
        ...[request.method, request.url, await request.text()],
        ...[remoteAddress, scheme, handedOver?.decided ?? null],
      ]);
    const answer = await parts.ask("/a/../b?%7e=1", { body: "content" });
    const url = `http://localhost/a/../b?%7e=1`;
    assert.equal(
      answer,
      `200 ${JSON.stringify(["POST", url, "content", "127.0.0.1", "http", null])}`,
    );
  }));

Deno.test("EdgeThreads passes bodies on in parts, both ways, and lets them go", () =>
  withThreads(1, async (parts) => {
    const part = "x".repeat(100_000);
    parts.answer = (request) => new Response(request.body);
    assert.equal(await parts.ask("/", { body: part.repeat(20) }), `200 ${part.repeat(20)}`);
    const cancelled = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    parts.answer = (request) => {
      request.signal.addEventListener("abort", () => left.resolve());
      return new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new TextEncoder().encode(part)),
          cancel: () => cancelled.resolve(),
        }),
      );
    };
    const leaving = httpRequest({
      ...{ hostname: "127.0.0.1", port: parts.threads.port, headers: { host: "localhost" } },
    }, (response) => response.once("data", () => leaving.destroy()));
    leaving.on("error", () => {}).end();
    await Promise.all([cancelled.promise, left.promise]);
  }));

Deno.test("EdgeThreads answers for a platform that fails, and logs why", () =>
  withThreads(1, async (parts) => {
    parts.answer = () => Promise.reject(new Error("out of order"));
    assert.match(await parts.ask("/"), /^500 The platform failed to answer/);
    assert.match(parts.logged.join("\n"), /out of order/);
  }));

Deno.test("EdgeThreads answers with its first thread, and listens with all once it is complete", () =>
  withFirstThread(3, async ({ threads, workers, ask }) => {
    assert.equal(await ask("/"), "200 platform");
    assert.equal(workers.length, 1);
    await threads.complete();
    assert.equal(listeningSockets(threads.port), 3);
    await until(() => workers.length === 4);
  }));

Deno.test("a thread that cannot be started at first is reported, and started again", () =>
  withFirstThread(2, async ({ threads, workers, logged, ask }) => {
    const completed = threads.complete();
    await until(() => workers.length === 2);
    crash(workers[1]!);
    await completed;
    assert.equal(listeningSockets(threads.port), 2);
    assert.equal(logged.filter((line) => /^Cannot start edge thread 1: /.test(line)).length, 1);
    assert.equal(await ask("/"), "200 platform");
  }));

Deno.test("EdgeThreads.close() ends threads that are still starting, and starts no others", () =>
  withFirstThread(3, async ({ threads, workers, logged }) => {
    void threads.complete();
    await until(() => workers.length === 2);
    await threads.close();
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    assert.equal(workers.length, 2);
    assert.equal(listeningSockets(threads.port), 0);
    assert.ok(!logged.some((line) => /^Cannot start|has ended/.test(line)), logged.join("\n"));
  }));

Deno.test("a thread that dies is replaced; only its own connections are lost", () =>
  withThreads(3, async (parts) => {
    const { threads, workers, logged, ask } = parts;
    const agents = Array.from({ length: 24 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    const all = () => Promise.allSettled(agents.map((agent) => ask("/", { agent })));
    await all();
    // A spare one is there.
    await until(() => workers.length === 4);
    crash(workers[1]!);
    await until(() => workers.length === 5);
    await until(async () => {
      const answers = await all();
      return answers.every((each) => each.status === "fulfilled" && each.value === "200 platform");
    });
    assert.equal(logged.filter((line) => /^Edge thread 1 has ended/.test(line)).length, 1);
    await threads.collectLines();
    for (const agent of agents) agent.destroy();
  }));

/** What answers on new connections say of these, over all threads. */
async function connectionFields(port: number): Promise<readonly (string | undefined)[]> {
  return await Promise.all(Array.from({ length: 24 }, async () => {
    const agent = new Agent({ keepAlive: true });
    const [answer] = await once(get({ port, headers: { host: "localhost" }, agent }), "response");
    answer.resume();
    await once(answer, "end");
    agent.destroy();
    return answer.headers.connection;
  }));
}

Deno.test("threads that leave end connections with each answer, as do those that replace them", () =>
  withThreads(2, async ({ threads, workers }) => {
    await until(() => workers.length === 3);
    assert.ok((await connectionFields(threads.port)).every((field) => field !== "close"));
    await threads.leave();
    assert.ok((await connectionFields(threads.port)).every((field) => field === "close"));
    for (const count of [4, 5]) {
      // The spare thread takes its place, and then one that was started since.
      crash(workers[count - 3]!);
      await until(() => workers.length === count);
      await until(() => connectionFields(threads.port).then(() => true, () => false));
      await threads.collectLines();
      assert.ok((await connectionFields(threads.port)).every((field) => field === "close"));
    }
  }));

Deno.test("a thread that dies fails the requests that it has handed over, and no others", () =>
  withThreads(3, async (parts) => {
    const { workers, ask } = parts;
    const agents = Array.from({ length: 24 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    const released = Promise.withResolvers<void>();
    const signals = new Map<string, AbortSignal>();
    parts.answer = async ({ url, signal }) => {
      signals.set(new URL(url).pathname, signal);
      await released.promise;
      return new Response("platform");
    };
    const answers = agents.map((agent, index) => ask(`/${index}`, { agent }).catch(() => "failed"));
    await until(() => signals.size === agents.length && workers.length === 4);
    crash(workers[1]!);
    await until(() => [...signals.values()].some(({ aborted }) => aborted));
    const left = agents.map((_, index) => signals.get(`/${index}`)!.aborted);
    assert.ok(left.includes(false), "expected the other threads to go on");
    await until(() => workers.length === 5);
    released.resolve();
    assert.deepEqual(
      await Promise.all(answers),
      left.map((isLeft) => isLeft ? "failed" : "200 platform"),
    );
    for (const agent of agents) agent.destroy();
  }));

Deno.test("EdgeThreads.open() reports a port that is taken, although threads share theirs", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  await assert.rejects(
    EdgeThreads.open(threadsOptions({ port: taken.addr.port, count: 2 })),
    Deno.errors.AddrInUse,
  );
});

Deno.test("EdgeThreads that take over say that a port is taken by another program", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const options = threadsOptions({ port: taken.addr.port, count: 2 });
  await assert.rejects(
    EdgeThreads.open({ ...options, listen: { ...options.listen, takesOver: true } }),
    Deno.errors.AddrInUse,
  );
});
