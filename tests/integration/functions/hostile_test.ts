/**
 * Runs hostile functions. Each must be denied access or contained, and a neighboring function in
 * the same deployment must keep working.
 */
import assert from "node:assert/strict";
import {
  createFunctionHost,
  createOutboundFetch,
  type FunctionHost,
  type FunctionLogEntry,
  type InvocationResult,
  sealFunction,
} from "../../../src/runtime/mod.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { spawnFunctions } from "../../helpers/function_host.ts";
import { stopServer } from "../../../src/lib/stop_server.ts";

const FIXTURES = new URL("../../../fixtures/functions/hostile/", import.meta.url);
const SEAL = { cacheDir: "/nonexistent" };

const NEIGHBOR = `
globalThis.neighborSecret = "secret"; Array.prototype.neighbor = "secret";
let calls = 0;
export default () => new Response("neighbor " + ++calls);`;

async function seal(name: string, source: string): Promise<string | undefined> {
  const sealed = await sealFunction(name.replaceAll("_", "-"), source, SEAL);
  return sealed.ok ? new TextDecoder().decode(sealed.function.source) : undefined;
}

interface Lab extends AsyncDisposable {
  readonly host: FunctionHost;
  readonly log: FunctionLogEntry[];
}

/** Deploys hostile functions and a neighboring function, with a resolver for three names. */
async function openLab(
  names: readonly string[],
  { memoryMb = 64, timeoutMs = 5000 }: { memoryMb?: number; timeoutMs?: number } = {},
): Promise<Lab> {
  const log: FunctionLogEntry[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(null, { status: 302, headers: { location: "http://inside.test/" } }),
  );
  const table: Record<string, string[]> = {
    "out.test": ["93.184.215.14"],
    "redirects.test": ["93.184.215.14"],
    "inside.test": ["127.0.0.1"],
  };
  const outbound = createOutboundFetch({
    resolveDns: (name) => Promise.resolve(table[name] ?? []),
    dial: () => Deno.connect({ hostname: "127.0.0.1", port: server.addr.port }),
  });
  const functions = await Promise.all(names.map(async (name) => {
    const source = await seal(name, await Deno.readTextFile(new URL(`${name}.js`, FIXTURES)));
    assert.ok(source !== undefined, `${name} is sealed`);
    return { name, source };
  }));
  const host = createFunctionHost({
    deploymentId: "hostile",
    functions: [...functions, { name: "neighbor", source: NEIGHBOR }],
    env: {},
    limits: {
      timeoutMs,
      graceMs: 60,
      waitUntilMs: 100,
      // Up to 35 functions start at the same time, so starts can be slow.
      startMs: 60_000,
      memoryMb,
      memoryPollMs: 10,
    },
    outbound: outbound.fetch,
    log: (entry) => log.push(entry),
    spawn: spawnFunctions,
  });
  const broken = await host.start();
  assert.deepEqual(broken.filter(({ name }) => name === "neighbor"), []);
  return {
    host,
    log,
    async [Symbol.asyncDispose]() {
      await host.close();
      outbound.close();
      await stopServer(server);
    },
  };
}

function call(host: FunctionHost, name: string): Promise<InvocationResult> {
  return host.invoke({
    function: name,
    mode: "handle",
    request: { method: "GET", url: "https://site.example/", headers: [], body: null },
    context: { requestId: `r-${name}`, ip: "203.0.113.9", deployment: { id: "hostile" } },
  });
}

async function outcome(result: InvocationResult): Promise<string> {
  if (result.type === "failed") return `${result.reason}: ${result.message}`;
  if (result.type !== "response") return result.type;
  const { status, body } = result.response;
  try {
    return `${status} ${body === null ? "" : await new Response(body).text()}`;
  } catch (error) {
    return `${status} body broke off: ${error instanceof Error ? error.message : error}`;
  }
}

Deno.test("sealFunction() refuses functions that import", async () => {
  for (const name of ["import_static", "import_reexport", "import_remote"]) {
    const source = await Deno.readTextFile(new URL(`${name}.js`, FIXTURES));
    assert.equal(await seal(name, source), undefined, name);
  }
});

/**
 * Expected result of each function. `GOT` in a response would mean that the function has escaped.
 */
const DENIED: Readonly<Record<string, RegExp>> = {
  read_file:
    /^200 \{"deno":"denied: .*","fetch":"denied: .*","require":"denied: .*","process":"denied: .*"\}$/,
  environment:
    /^200 \{"deno":"undefined","process":"undefined","global":"undefined","names":\[\],"symbols":\[\]\}$/,
  subprocess: /^200 denied/,
  import_computed: /^200 \["denied: Dynamic require"(,"denied: Dynamic require"){3}\]$/,
  import_from_text: /^200 \["denied"(,"denied"){9}\]$/,
  builtin_module: /^200 \["denied"(,"denied"){4}\]$/,
  other_memory: /^200 \{"secret":"undefined","shared":"undefined","channels":\[\]\}$/,
  platform_port: /^200 \["denied"(,"denied"){9}\]$/,
  raw_socket: /^200 \[\]$/,
  kv: /^200 denied/,
  redirect_private: /^200 denied: .*not public/,
  never_resolves: /^timeout: /,
  never_thenable: /^timeout: /,
  deep_recursion: /^threw: RangeError: Maximum call stack/,
  wait_until_throws: /^200 fine$/,
  wait_until_never: /^200 fine$/,
  unhandled_rejection: /^threw: Error: nobody caught me/,
  timer_throws: /^threw: Error: from a timer/,
  giant_header: /^invalid_result: The result's headers exceed/,
  many_headers: /^invalid_result: /,
  forged_headers: /^invalid_result: /,
  stream_of_objects: /^200 body broke off/,
  console_flood: /^200 fine$/,
  console_getters: /^200 fine$/,
  forged_messages: /^200 \["denied","denied","denied","passed","denied","denied","denied"\]$/,
  nested_worker: /^200 denied/,
  ends_process: /^200 \["denied"(,"denied"){4}\]$/,
  stack_frames: /^200 \["undefined"\]$/,
  error_with_getters: /^threw: /,
  error_proxy: /^threw: /,
  huge_error: /^threw: Error: x+$/,
  symbol_tricks: /^200 fine$/,
  own_header_of_runtime: /^200 x$|^invalid_result/,
};

Deno.test("hostile functions are denied access, and other functions keep running", async (t) => {
  await using lab = await openLab(Object.keys(DENIED), { memoryMb: 600, timeoutMs: 8000 });
  const [pid] = lab.host.pids;
  for (const [name, expected] of Object.entries(DENIED)) {
    await t.step(name, async () => {
      assert.match(await outcome(await call(lab.host, name)), expected);
      assert.match(await outcome(await call(lab.host, "neighbor")), /^200 neighbor \d+$/);
    });
  }
  await t.step(
    "all functions run in the same process",
    () => assert.deepEqual(lab.host.pids, [pid]),
  );
  await t.step("the log is bounded and contains errors that occur after the response", () => {
    const flood = lab.log.filter((entry) => entry.function === "console_flood");
    assert.ok(flood.length > 0 && flood.length < 400, String(flood.length));
    assert.ok(lab.log.every(({ message }) => message.length <= 4096));
    const late = lab.log.find((entry) => entry.function === "wait_until_throws");
    assert.equal(late?.message, "Error: after the answer");
    assert.equal(late?.requestId, "r-wait_until_throws");
  });
});

Deno.test("objects that only look like a Response are refused", async () => {
  await using lab = await openLab(["look_alikes"]);
  for (let turn = 0; turn < 6; turn++) {
    assert.match(await outcome(await call(lab.host, "look_alikes")), /^invalid_result: /);
  }
});

Deno.test("a function that breaks its global scope harms only itself", async () => {
  await using lab = await openLab(["prototype_pollution"]);
  await outcome(await call(lab.host, "prototype_pollution"));
  assert.equal(await outcome(await call(lab.host, "neighbor")), "200 neighbor 1");
});

for (
  const name of [
    "endless_loop",
    "endless_microtasks",
    "slow_pattern",
    "atomics_wait",
    "nested_thenables",
  ]
) {
  Deno.test(`${name} times out, is replaced, and does not delay other functions`, async () => {
    await using lab = await openLab([name]);
    const [pid] = lab.host.pids;
    const looping = call(lab.host, name);
    assert.equal(await outcome(await call(lab.host, "neighbor")), "200 neighbor 1");
    assert.match(await outcome(await looping), /^timeout: /);
    assert.equal(await outcome(await call(lab.host, "neighbor")), "200 neighbor 2");
    assert.match(await outcome(await call(lab.host, name)), /^timeout: /);
    assert.deepEqual(lab.host.pids, [pid]);
  });
}

Deno.test("a function that uses the CPU in short bursts is killed because of the total", async () => {
  await using lab = await openLab(["busy_timers"], { timeoutMs: 60_000 });
  const [pid] = lab.host.pids;
  const [burning] = await Promise.all([
    call(lab.host, "busy_timers").then(outcome),
    call(lab.host, "neighbor"),
  ]);
  assert.match(
    burning,
    /^timeout: Function "busy_timers" used more than 1000 ms of CPU time/,
  );
  const isReplaced = ({ message }: FunctionLogEntry) => message.endsWith("will be restarted");
  await until(() => lab.log.some(isReplaced));
  assert.equal(await outcome(await call(lab.host, "neighbor")), "200 neighbor 2");
  assert.deepEqual(lab.host.pids, [pid]);
});

for (const name of ["memory_bomb", "heap_bomb", "wasm_bomb"]) {
  Deno.test(`${name} stops its process, and other functions restart in a new one`, async () => {
    await using lab = await openLab([name], { timeoutMs: 10_000 });
    const [pid] = lab.host.pids;
    assert.match(await outcome(await call(lab.host, name)), /^(?:memory|crashed|timeout): /);
    let answer = await outcome(await call(lab.host, "neighbor"));
    // A memory bomb can outlive its call until the next poll. In that case, one more call fails
    // with it.
    if (/^(?:memory|crashed)/.test(answer)) {
      answer = await outcome(await call(lab.host, "neighbor"));
    }
    assert.match(answer, /^200 neighbor \d$/);
    assert.match(await outcome(await call(lab.host, name)), /^(?:memory|crashed|timeout): /);
    assert.match(await outcome(await call(lab.host, "neighbor")), /^200 neighbor \d$/);
    assert.ok(!lab.host.pids.includes(pid!) || lab.log.length > 0);
  });
}

Deno.test("a function whose waitUntil loops after the response is replaced", async () => {
  await using lab = await openLab(["wait_until_loops"]);
  assert.equal(await outcome(await call(lab.host, "wait_until_loops")), "200 fine");
  const again = await outcome(await call(lab.host, "wait_until_loops"));
  assert.match(again, /^timeout: |^200 fine$/);
  assert.equal(await outcome(await call(lab.host, "neighbor")), "200 neighbor 1");
});

Deno.test("a worker denies access even if a function was not sealed", async () => {
  const reach = (act: string): string =>
    `export default async () => {
      try { return new Response("GOT " + await (${act})()); }
      catch (error) { return new Response("denied: " + error.message); }
    };`;
  const ways: Readonly<Record<string, string>> = {
    file: `async () => (await import("node:fs")).readFileSync("/etc/passwd")`,
    environment: `async () => (await import("node:process")).env.HOME.length`,
    program: `async () => (await import("node:child_process")).execSync("id")`,
    network: `async () => new Promise(async (resolve, reject) =>
      (await import("node:net")).connect(8787, "127.0.0.1", resolve).on("error", reject))`,
    source: `async () => (await import("file:///etc/passwd", { with: { type: "text" } })).default`,
    remote: `async () => import("https://127.0.0.1:1/x.js")`,
  };
  const host = createFunctionHost({
    deploymentId: "unsealed",
    functions: Object.entries(ways).map(([name, act]) => ({ name, source: reach(act) })),
    env: {},
    outbound: () => Promise.reject(new Error("No network")),
    log: () => {},
    spawn: spawnFunctions,
  });
  try {
    for (const name of Object.keys(ways)) {
      assert.match(await outcome(await call(host, name)), /^(?:200 denied|threw): /, name);
    }
  } finally {
    await host.close();
  }
});

Deno.test("an endless stream waits for its reader and ends when the reader leaves", async () => {
  await using lab = await openLab(["infinite_stream", "stalled_stream"]);
  const result = await call(lab.host, "infinite_stream");
  assert.ok(result.type === "response" && result.response.body !== null);
  const reader = result.response.body.getReader();
  let total = 0;
  while (total < 2_000_000) total += (await reader.read()).value!.byteLength;
  await reader.cancel();
  assert.equal(await outcome(await call(lab.host, "neighbor")), "200 neighbor 1");
  await lab.host.drain(1000);
});
