import assert from "node:assert/strict";
import { FakeTimers, nextTurns } from "../process/_fake_timers.ts";
import { FakeServer, fakeStart } from "./_fake_server.ts";
import { DEFAULT_COMPUTE_LIMITS } from "./limits.ts";
import { ServerSupervisor } from "./server_supervisor.ts";
import type { ComputeLimits } from "./types.ts";
import type { ProcessLog } from "./wire.ts";

interface SetUp extends Partial<ComputeLimits> {
  readonly pid?: number;
  readonly directory?: string;
}

/** Creates a supervisor of fake servers, with a clock that tests advance. */
function setUp({ pid, directory = "/", ...limits }: SetUp = {}) {
  const { started, launcher } = fakeStart(pid);
  const timers = new FakeTimers();
  const log: ProcessLog[] = [];
  const state = { busy: false };
  const all = { ...DEFAULT_COMPUTE_LIMITS, ...limits };
  const supervisor = new ServerSupervisor({
    server: {
      deploymentId: "dpl_1",
      directory,
      entry: "server.mjs",
      env: {},
      limits: all,
      allowPrivate: false,
      log: () => {},
      launcher,
    },
    limits: all,
    log: (entry) => void log.push(entry),
    busy: () => state.busy,
    timers,
  });
  /** Returns the next process to start. */
  const next = async (): Promise<FakeServer> => {
    const { length } = started;
    while (started.length === length) await nextTurns();
    return started.at(-1)!;
  };
  const listening = async (): Promise<FakeServer> => {
    const [found, server] = [supervisor.find(), await next()];
    server.boot(0);
    server.listen();
    assert.ok("server" in await found);
    return server;
  };
  return { supervisor, timers, log, state, started, next, listening };
}

const messages = (log: readonly ProcessLog[]): string[] =>
  log.map(({ level, message }) => `${level}: ${message}`);

Deno.test("ServerSupervisor.find() starts one server for all concurrent requests", async () => {
  const { supervisor, timers, log, next, started } = setUp();
  const found = [supervisor.find(), supervisor.find()];
  const server = await next();
  await timers.advance(120);
  server.listen();
  const [first, second] = await Promise.all(found);
  assert.ok(first !== undefined && second !== undefined && "server" in first && "server" in second);
  assert.equal(first.server, second.server);
  assert.equal(supervisor.running, first.server);
  assert.deepEqual([started.length, server.asked], [1, ["start"]]);
  assert.deepEqual(messages(log), ["info: Server started in 120 ms (cold start)"]);
});

Deno.test("ServerSupervisor restarts a crashed server after increasing delays", async () => {
  const { supervisor, timers, log, next, listening } = setUp();
  (await listening()).crash("Segmentation fault (SIGSEGV)");
  await nextTurns();
  assert.equal(supervisor.running, undefined);
  assert.equal(
    messages(log).at(-1),
    "error: The server process exited: Segmentation fault (SIGSEGV)",
  );
  (await listening()).crash("once more");
  await nextTurns();
  const [found, coming] = [supervisor.find(), next()];
  await timers.advance(99);
  assert.equal(supervisor.running, undefined, "100 ms after the second failure");
  await timers.advance(1);
  const server = await coming;
  server.listen();
  assert.ok("server" in await found);
});

Deno.test("ServerSupervisor reports a lack of memory if the kernel killed the server's control group", async () => {
  const { supervisor, timers, log, next, listening } = setUp();
  const server = await listening();
  server.isOverGroup = true;
  server.crash("(SIGKILL)");
  await nextTurns();
  assert.equal(messages(log).at(-1), "error: The server ran out of memory");
  const [found, coming] = [supervisor.find(), next()];
  await timers.advance(1000);
  (await coming).listen();
  assert.ok("server" in await found, "the server starts again");
});

Deno.test("ServerSupervisor.find() refuses immediately if the pause is long", async () => {
  const { supervisor, timers, next } = setUp();
  for (let failure = 1; failure <= 6; failure++) {
    const found = supervisor.find();
    const coming = next();
    await timers.advance(1000);
    (await coming).end("Error: no database\n    at server.mjs:1:1");
    assert.deepEqual(await found, { problem: "Error: no database", reason: "cannot_start" });
  }
  assert.deepEqual(await supervisor.find(), {
    problem: "Error: no database (starts again in 2 s)",
    reason: "cannot_start",
  });
});

Deno.test("ServerSupervisor stops a server that does not listen in time", async () => {
  const { supervisor, timers, next } = setUp({ startMs: 2000 });
  const found = supervisor.find();
  const server = await next();
  await timers.advance(1999);
  assert.deepEqual(server.asked, ["start"]);
  await timers.advance(1);
  assert.deepEqual(server.asked, ["start", "kill", "kill"]);
  assert.deepEqual(await found, {
    problem:
      "The server did not listen within 2 s: it must listen on process.env.PORT. To allow more time, set start_timeout under [server] in svc.toml",
    reason: "cannot_start",
  });
});

Deno.test("ServerSupervisor counts a missing folder as a failed start", async () => {
  const { supervisor, log, started } = setUp({ directory: "/no/such/folder" });
  const found = await supervisor.find();
  assert.ok("problem" in found && found.reason === "cannot_start");
  assert.match(found.problem, /No such file or directory/);
  assert.match(messages(log).join(), /^error: NotFound: /);
  assert.equal(started.length, 0);
});

Deno.test("ServerSupervisor ends an unresponsive server with running requests", async () => {
  const { timers, log, state, listening } = setUp();
  const server = await listening();
  await timers.advance(10_000);
  assert.ok(!server.asked.includes("ping"), "no one waits for it");
  state.busy = true;
  await timers.advance(20_000);
  assert.ok(server.asked.includes("ping") && !server.asked.includes("kill"));
  server.reacts = false;
  await timers.advance(6000);
  assert.ok(!server.asked.includes("kill"), "it has 30 s");
  await timers.advance(30_000);
  assert.ok(server.asked.includes("kill"));
  assert.equal(
    messages(log).at(-1),
    "error: The server did not respond for too long and was stopped",
  );
});

Deno.test("ServerSupervisor.probe() stops a server that does not respond immediately", async () => {
  const { supervisor, timers, log, listening } = setUp();
  const server = await listening();
  await supervisor.probe(supervisor.running!);
  assert.ok(!server.asked.includes("kill"));
  server.reacts = false;
  const probed = supervisor.probe(supervisor.running!);
  await timers.advance(1000);
  await probed;
  assert.ok(server.asked.includes("kill"));
  assert.equal(
    messages(log).at(-1),
    "error: The server stopped responding and was stopped",
  );
});

Deno.test("ServerSupervisor stops a server that exceeds its memory limit", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  const { supervisor, log, next } = setUp({ pid: Deno.pid, memoryMb: 1 });
  const [found, server] = [supervisor.find(), await next()];
  const { problem } = await found as { readonly problem: string };
  assert.match(problem, /^The server used \d+ MiB of at most 1 MiB and was stopped: to allow/);
  assert.ok(server.asked.includes("kill"));
  assert.deepEqual(messages(log), [`error: ${problem}`]);
});

Deno.test("ServerSupervisor lets an idle server stop itself, and starts it on demand", async () => {
  const { supervisor, timers, log, listening } = setUp({ idleMs: 5000 });
  const server = await listening();
  await timers.advance(4900);
  supervisor.becameIdle();
  await timers.advance(4900);
  assert.ok(!server.asked.includes("terminate"));
  await timers.advance(300);
  assert.deepEqual(server.asked, ["start", "terminate"]);
  server.end("Told to end");
  assert.equal(messages(log).at(-1), "info: Server stopped: it was idle");
  assert.deepEqual(await supervisor.check(), { healthy: true, latencyMs: 0 });
  await listening();
});

Deno.test("ServerSupervisor.check() checks a running server, and does not start one", async () => {
  const { supervisor, timers, started, listening } = setUp();
  assert.deepEqual(await supervisor.check(), { healthy: true, latencyMs: 0 });
  assert.equal(started.length, 0);
  const server = await listening();
  assert.deepEqual(await supervisor.check(), { healthy: true, latencyMs: 0 });
  server.reacts = false;
  const checked = supervisor.check();
  await timers.advance(5000);
  assert.deepEqual(await checked, { healthy: false, reason: "The server is not responding" });
  server.crash("out of memory");
  await nextTurns();
  assert.deepEqual(await supervisor.check(), {
    healthy: false,
    reason: "The server ran out of memory",
  });
});

Deno.test("ServerSupervisor.close() waits until the server stops, and starts no other", async (t) => {
  const problem = "The deployment's server has been shut down";
  await t.step("if it ends in time", async () => {
    const { supervisor, listening } = setUp();
    const server = await listening();
    const closed = supervisor.close(1000);
    await nextTurns();
    assert.deepEqual(server.asked, ["start", "terminate"]);
    server.end("Told to end");
    await closed;
    assert.deepEqual(await supervisor.find(), { problem, reason: "cannot_start" });
  });
  await t.step("if it is killed immediately", async () => {
    const { supervisor, listening } = setUp();
    const server = await listening();
    await supervisor.close(0);
    assert.deepEqual(server.asked, ["start", "kill", "kill"]);
  });
  await t.step("if it is still starting", async () => {
    const { supervisor, next } = setUp();
    const [found, server] = [supervisor.find(), await next()];
    await supervisor.close(0);
    assert.ok(server.asked.includes("kill"));
    assert.deepEqual(await found, { problem, reason: "cannot_start" });
  });
});
