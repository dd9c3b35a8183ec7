/**
 * Runs functions that try to access their worker's connection. The functions must not reach the
 * connection, and a function that tampers with the connection's frames must harm only its own
 * worker.
 */
import assert from "node:assert/strict";
import { until } from "../../../src/lib/_test_until.ts";
import { bodyText, deployFunctions, invocation } from "../../helpers/function_host.ts";

const FIXTURES = new URL("../../../fixtures/functions/hostile/", import.meta.url);

/**
 * A function that responds with the number of its calls, which shows that its worker has not been
 * replaced.
 */
const NEIGHBOR = {
  name: "neighbor",
  source: "let n = 0; export default () => new Response(String(++n));",
};

const NEIGHBOR_CALL = { function: "neighbor" } as const;

/** Returns a function that changes the frames that its worker sends during a call. */
const forges = (name: string, change: string) => ({
  name,
  source: `
    const { set } = Uint8Array.prototype;
    const typed = Object.getPrototypeOf(Uint8Array.prototype);
    let isOn = false;
    Object.defineProperty(typed, "set", { value: function (source, at) {
      Reflect.apply(set, this, [source, at]);
      if (!isOn || at !== 11) return;
      ${change}
    } });
    export default () => { isOn = true; console.log("a line"); return new Response("fine"); };`,
});

const frameOf = (type: number): string => `this[4] = ${type}; this[5] = 1;`;

const FORGED: Readonly<Record<string, string>> = {
  "says-that-another-exited": frameOf(27),
  "says-who-it-is-again": frameOf(29),
  "opens-a-worker": frameOf(7),
  "stops-another": frameOf(2),
  "calls-another": frameOf(3),
  "says-what-nobody-knows": frameOf(255),
  "says-nothing-known": frameOf(0),
  "lengthens-a-frame": "this[3] = 0x7f;",
  "sends-a-body-nobody-asked-for": frameOf(40),
};

/**
 * Frames from a worker that are meaningless or permitted, and whose only effect is to end the call.
 */
const HARMLESS: ReadonlySet<string> = new Set(["sends-a-body-nobody-asked-for"]);

Deno.test("a function that forges frames loses only its own worker", async (t) => {
  await using deployment = await deployFunctions({
    functions: [
      NEIGHBOR,
      ...Object.entries(FORGED).map(([name, change]) => forges(name, change)),
    ],
  });
  const { host, log } = deployment;
  assert.deepEqual(await host.start(), []);
  const { pids } = host;
  let calls = 0;
  for (const name of Object.keys(FORGED)) {
    await t.step(name, async () => {
      for (let round = 0; round < 2; round++) {
        log.length = 0;
        const result = await host.invoke(invocation("/", { function: name }));
        assert.equal(
          await bodyText(await host.invoke(invocation("/", NEIGHBOR_CALL))),
          `${++calls}`,
        );
        if (HARMLESS.has(name)) continue;
        assert.ok(result.type === "failed" && result.reason === "crashed", JSON.stringify(result));
        assert.match(result.message, /violated the protocol/);
        assert.equal(
          log.filter(({ level }) => level === "error").length,
          1,
          "the error is logged once",
        );
      }
    });
  }
  assert.deepEqual(host.pids, pids);
});

const fixture = async (name: string) => ({
  name: name.replaceAll("_", "-"),
  source: await Deno.readTextFile(new URL(`${name}.js`, FIXTURES)),
});

Deno.test("a function cannot find its worker's connection", async () => {
  await using deployment = await deployFunctions({
    functions: [NEIGHBOR, await fixture("find_connection")],
    limits: { timeoutMs: 5000 },
  });
  const { host } = deployment;
  assert.deepEqual(await host.start(), []);
  const result = await host.invoke(invocation("/", { function: "find-connection" }));
  assert.equal(await bodyText(result), "looked at true, found nothing", JSON.stringify(result));
});

Deno.test("a function that fills the frame queue loses its worker, not its process", async () => {
  await using deployment = await deployFunctions({
    functions: [NEIGHBOR, await fixture("frame_flood")],
    limits: { memoryMb: 1000, timeoutMs: 180_000, cpuMs: 180_000 },
  });
  const { host, log } = deployment;
  assert.deepEqual(await host.start(), []);
  const { pids } = host;
  for (const call of ["1", "2"]) {
    const result = await host.invoke(invocation("/", { function: "frame-flood" }));
    assert.deepEqual(result, {
      type: "failed",
      reason: "crashed",
      message: "The worker exited",
    });
    assert.equal(await bodyText(await host.invoke(invocation("/", NEIGHBOR_CALL))), call);
  }
  const errors = log.filter(({ level }) => level === "error");
  assert.deepEqual(errors.map(({ function: name }) => name), ["frame-flood", "frame-flood"]);
  assert.deepEqual(host.pids, pids);
});

Deno.test("a worker that breaks between calls is replaced only at the next call", async () => {
  const source = `
    const typed = Object.getPrototypeOf(Uint8Array.prototype);
    const { set } = typed;
    setTimeout(() => {
      Object.defineProperty(typed, "set", { value: function (source, at) {
        Reflect.apply(set, this, [source, at]);
        if (at === 11) this[4] = 255;
      } });
      console.log("a line");
    }, 30);
    export default () => new Response("fine");`;
  await using deployment = await deployFunctions({
    functions: [NEIGHBOR, { name: "restless", source }],
  });
  const { host, log } = deployment;
  assert.deepEqual(await host.start(), []);
  const broke = (): number => log.filter(({ function: name }) => name === "restless").length;
  await until(broke);
  await new Promise((resolve) => setTimeout(resolve, 150));
  assert.equal(broke(), 1);
  const result = await host.invoke(invocation("/", { function: "restless" }));
  assert.equal(await bodyText(result), "fine");
  assert.equal(await bodyText(await host.invoke(invocation("/", NEIGHBOR_CALL))), "1");
});

Deno.test("Function.prototype keeps its methods, and functions can have their own", async () => {
  const source = `
    const tried = ["call", "apply", "bind"].map((name) => {
      try { Function.prototype[name] = () => {}; return "replaced"; } catch { return "refused"; }
    });
    const library = () => 1;
    library.bind = 5;
    library.call = (x) => x + 1;
    class Base { static apply() { return 3; } }
    const bound = function () { return this.n; }.bind({ n: 4 });
    export default function () {
      return Response.json([
        ...tried, library.bind, library.call(1), Object.keys(library).join(), Base.apply(), bound(),
        Math.max.apply(null, [1, 2]), Array.prototype.slice.call("ab").length, String(this),
      ]);
    }`;
  await using deployment = await deployFunctions({ functions: [{ name: "own", source }] });
  const result = await deployment.host.invoke(invocation("/", { function: "own" }));
  assert.deepEqual(JSON.parse(await bodyText(result)), [
    "refused",
    "refused",
    "refused",
    5,
    2,
    "bind,call",
    3,
    4,
    2,
    2,
    "undefined",
  ]);
});
