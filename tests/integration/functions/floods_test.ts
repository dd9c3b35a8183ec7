/**
 * Runs functions that forge their worker's reads and writes: endless frames, frames with an altered
 * meaning, and frames that are never read.
 */
import assert from "node:assert/strict";
import { bodyText, deployFunctions, invocation } from "../../helpers/function_host.ts";
import { until } from "../../../src/lib/_test_until.ts";

const NEIGHBOR = {
  name: "neighbor",
  source: "let n = 0; export default () => new Response(String(++n));",
};

/**
 * Code shared by hostile functions. `write(bytes)` injects bytes after one of their worker's
 * frames.
 */
const PRELUDE = `
  const Bytes = Uint8Array;
  const typed = Object.getPrototypeOf(Bytes.prototype);
  const { set, subarray } = typed;
  const { apply, construct } = Reflect;
  let raw;
  globalThis.Uint8Array = new Proxy(Bytes, { construct(_, args) {
    if (raw === undefined || !(args[0] > 11)) return construct(Bytes, args);
    const all = new Bytes(args[0] + raw.length);
    apply(set, all, [raw, args[0]]);
    raw = undefined;
    return all;
  } });
  const write = (bytes) => { raw = bytes; console.log("a line"); };
  const frame = (type, id, payload = new Bytes(0)) => {
    const made = new Bytes(11 + payload.length);
    const view = new DataView(made.buffer);
    view.setUint32(0, payload.length, true);
    view.setUint8(4, type);
    view.setUint32(7, id, true);
    apply(set, made, [payload, 11]);
    return made;
  };
  const json = (head) => new TextEncoder().encode(JSON.stringify(head));
  const many = (one, count) => {
    const all = new Bytes(one.length * count);
    for (let at = 0; at < count; at++) apply(set, all, [one, at * one.length]);
    return all;
  };`;

const hostile = (source: string) => ({ name: "hostile", source: `${PRELUDE}\n${source}` });

const HOSTILE = { function: "hostile" } as const;

Deno.test("a function that forges its worker's input cannot load a second module", async () => {
  const second =
    `globalThis.second = await import("node:vm"); export default () => new Response("GOT");`;
  await using deployment = await deployFunctions({
    functions: [hostile(`
      Object.defineProperty = (object) => object;
      let forged = json({ name: "second", env: {}, source: ${JSON.stringify(second)} });
      forged = frame(1, 0, forged);
      typed.subarray = function (from, to) {
        if (forged === undefined || this.length !== 65536) return apply(subarray, this, [from, to]);
        const read = new Bytes(forged.length + to);
        apply(set, read, [forged]);
        apply(set, read, [apply(subarray, this, [from, to]), forged.length]);
        forged = undefined;
        return read;
      };
      export default async () => {
        await new Promise((resolve) => setTimeout(resolve, 150));
        return new Response(forged === undefined ? typeof globalThis.second : "not forged");
      };`)],
  });
  const { host, log } = deployment;
  assert.deepEqual(await host.start(), []);
  for (let call = 0; call < 2; call++) {
    assert.equal(await bodyText(await host.invoke(invocation("/", HOSTILE))), "undefined");
  }
  assert.deepEqual(log, []);
});

/**
 * Frames that take time on the platform's thread because they are rejected, meaningless, or
 * expensive to read.
 */
const FLOODS: Readonly<Record<string, string>> = {
  "fetches that are refused": "frame(25, 1)",
  "invalid log lines": `frame(24, 1, new Bytes([123]))`,
  "errors": "frame(21, 1)",
  "unrequested credit": "frame(43, 1)",
};

for (const [name, one] of Object.entries(FLOODS)) {
  Deno.test(`the platform keeps working during a flood of ${name}`, async () => {
    await using deployment = await deployFunctions({
      functions: [
        NEIGHBOR,
        hostile(`
          const flood = many(${one}, 40_000);
          let isOn = false;
          export default () => {
            if (!isOn) setInterval(() => write(flood), 5);
            isOn = true;
            return new Response("fine");
          };`),
      ],
    });
    const { host } = deployment;
    assert.deepEqual(await host.start(), []);
    await host.invoke(invocation("/", HOSTILE));
    let turns = 0;
    // Other work continues during the flood.
    await until(() => ++turns === 20);
    assert.equal(
      await bodyText(await host.invoke(invocation("/", { function: "neighbor" }))),
      "1",
    );
  });
}

Deno.test("a function that endlessly sends empty chunks loses its worker", async () => {
  await using deployment = await deployFunctions({
    functions: [
      NEIGHBOR,
      hostile(`
        export default () => {
          setTimeout(() => write(many(frame(40, 2), 1000)), 10);
          return new Response(new ReadableStream({ pull: () => new Promise(() => {}) }));
        };`),
    ],
  });
  const { host } = deployment;
  assert.deepEqual(await host.start(), []);
  const result = await host.invoke(invocation("/", HOSTILE));
  await assert.rejects(bodyText(result), /more data than requested/);
  assert.equal(await bodyText(await host.invoke(invocation("/", { function: "neighbor" }))), "1");
});

Deno.test("a function that reuses a request's ID loses its worker and both requests", async () => {
  let open = 0;
  await using deployment = await deployFunctions({
    functions: [hostile(`
      export default async () => {
        const head = { call: 2, method: "GET", url: "http://one.test/", headers: [], redirect: "follow", body: false };
        write(many(frame(25, 7, json(head)), 200));
        await new Promise(() => {});
      };`)],
    outbound: ({ signal }) => {
      open++;
      const aborted = typeof signal === "function" ? signal() : signal;
      return new Promise((_, reject) =>
        aborted?.addEventListener("abort", () => {
          open--;
          reject(aborted.reason);
        })
      );
    },
  });
  const { host } = deployment;
  assert.deepEqual(await host.start(), []);
  const result = await host.invoke(invocation("/", HOSTILE));
  assert.ok(result.type === "failed" && result.reason === "crashed", JSON.stringify(result));
  assert.equal(open, 0);
});

Deno.test("a function that keeps requesting an unread body loses its worker", async () => {
  let given = 0;
  await using deployment = await deployFunctions({
    functions: [
      NEIGHBOR,
      hostile(`
        const { then } = Promise.prototype;
        const Native = Promise;
        let isDeaf = false;
        Object.defineProperty(Native.prototype, "constructor", {
          get: () => isDeaf ? Object : Native,
        });
        Native.prototype.then = function (...args) {
          if (!isDeaf) return apply(then, this, args);
          isDeaf = false;
          return new Native(() => {});
        };
        typed.subarray = function (from, to) {
          isDeaf ||= this.length === 65536 && this[4] === 40;
          return apply(subarray, this, [from, to]);
        };
        export default () => {
          const head = { call: 2, method: "GET", url: "http://one.test/", headers: [], redirect: "follow", body: false };
          write(frame(25, 7, json(head)));
          const window = frame(43, 7, new Bytes([0, 0, 4, 0]));
          setInterval(() => write(window), 1);
          return new Native(() => {});
        };`),
    ],
    limits: { timeoutMs: 20_000 },
    outbound: ({ url }) =>
      Promise.resolve({
        status: 200,
        statusText: "",
        headers: [],
        url,
        redirected: false,
        body: new ReadableStream({
          pull: (controller) => {
            given += 65536;
            controller.enqueue(new Uint8Array(65536));
          },
        }),
      }),
  });
  const { host } = deployment;
  assert.deepEqual(await host.start(), []);
  const result = await host.invoke(invocation("/", HOSTILE));
  assert.ok(result.type === "failed" && result.reason === "crashed", JSON.stringify(result));
  assert.ok(given < 80 * 1024 * 1024, String(given));
  assert.equal(await bodyText(await host.invoke(invocation("/", { function: "neighbor" }))), "1");
});
