/** Tests the number of function processes, how they exit, and what they leave behind. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import {
  bodyText,
  deployFunctions,
  invocation,
  projectFunctions,
} from "../../helpers/function_host.ts";
import { until } from "../../../src/lib/_test_until.ts";

function runs(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}

const module = (name: string, source: string) => ({ name, source });

Deno.test("calls over the limit wait, and are refused if the queue is full", async () => {
  await using deployment = await deployFunctions({ limits: { maxConcurrent: 2, maxQueued: 2 } });
  const { host } = deployment;
  await host.start();
  const results = await Promise.all(
    Array.from({ length: 6 }, () => host.invoke(invocation("/slow"))),
  );
  const reasons = results.map((result) => result.type === "failed" ? result.reason : "answered");
  assert.deepEqual(reasons.sort(), [
    ...Array(4).fill("answered"),
    "overloaded",
    "overloaded",
  ]);
});

Deno.test("a function that cannot be loaded fails only its own calls", async () => {
  await using deployment = await deployFunctions({
    functions: [
      module("broken", "throw new Error('at load');\nexport default () => {};"),
      module("number", "export default 5;"),
      ...await projectFunctions(),
    ],
  });
  const { host } = deployment;
  const problems = await host.start();
  assert.deepEqual(problems.map(({ name, message }) => [name, message]), [
    ["broken", "Error: at load"],
    ["number", 'TypeError: Function "number" has no default export that is a function'],
  ]);
  const failed = await host.invoke(invocation("/", { function: "broken" }));
  assert.ok(failed.type === "failed" && failed.reason === "crashed");
  assert.equal(await bodyText(await host.invoke(invocation("/answer"))), "answered");
});

Deno.test("an idle process exits, and the next call starts another", async () => {
  await using deployment = await deployFunctions({ limits: { idleMs: 30, memoryPollMs: 5 } });
  const { host } = deployment;
  await host.start();
  const [first] = host.pids;
  await until(() => host.pids.length === 0 && !runs(first!));
  assert.equal(await bodyText(await host.invoke(invocation("/answer"))), "answered");
  assert.notEqual(host.pids[0], first);
});

Deno.test("a killed process fails its calls and is replaced immediately", async () => {
  await using deployment = await deployFunctions();
  const { host } = deployment;
  await host.start();
  const [first] = host.pids;
  const work = host.invoke(invocation("/signal"));
  await host.invoke(invocation("/answer"));
  Deno.kill(first!, "SIGKILL");
  const result = await work;
  assert.ok(result.type === "failed" && result.reason === "crashed");
  assert.equal(await bodyText(await host.invoke(invocation("/answer"))), "answered");
});

Deno.test("a function that has broken its process gets a separate process", async () => {
  const bomb =
    "const a = []; export default () => { for (;;) a.push(new Uint8Array(2e7).fill(1)); };";
  await using deployment = await deployFunctions({
    functions: [module("bomb", bomb), ...await projectFunctions()],
    limits: { memoryMb: 64, memoryPollMs: 5, timeoutMs: 10_000 },
  });
  const { host } = deployment;
  await host.start();
  assert.equal(host.pids.length, 1);
  const result = await host.invoke(invocation("/", { function: "bomb" }));
  assert.ok(result.type === "failed" && ["memory", "crashed"].includes(result.reason));
  await until(() => host.pids.length === 2);
  const neighbors = host.pids;
  const again = await host.invoke(invocation("/", { function: "bomb" }));
  assert.ok(again.type === "failed");
  assert.equal(await bodyText(await host.invoke(invocation("/answer"))), "answered");
  assert.ok(host.pids.some((pid) => neighbors.includes(pid)));
});

/** Returns the folder of a process's socket, whose path is the process's last argument. */
function socketFolder(pid: number): string {
  const words = Deno.readTextFileSync(`/proc/${pid}/cmdline`).split("\0");
  return dirname(words.at(-2) ?? "");
}

/** Returns whether a folder exists. */
function hasFolder(folder: string): boolean {
  try {
    return Deno.statSync(folder).isDirectory;
  } catch {
    return false;
  }
}

Deno.test("neither a process nor its socket outlives the program that started it", async () => {
  const script = `
    import { deployFunctions } from ${
    JSON.stringify(new URL("../../helpers/function_host.ts", import.meta.url))
  };
    const { host } = await deployFunctions();
    await host.start();
    console.log(host.pids[0]);
    await new Promise(() => setInterval(() => {}, 1000));`;
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--quiet",
      `--config=${new URL("../../../deno.json", import.meta.url).pathname}`,
      "-",
    ],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(script));
  await writer.close();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  const pid = Number(new TextDecoder().decode(value));
  assert.ok(runs(pid));
  const folder = socketFolder(pid);
  assert.ok(hasFolder(folder));
  child.kill("SIGKILL");
  await child.status;
  await reader.cancel();
  await until(() => !runs(pid) && !hasFolder(folder));
});

Deno.test("a process's socket is removed when the process exits", async () => {
  await using deployment = await deployFunctions();
  const { host } = deployment;
  await host.start();
  const folder = socketFolder(host.pids[0]!);
  assert.ok(hasFolder(folder));
  await host.close();
  assert.ok(!hasFolder(folder));
});

Deno.test("calls that arrive while a process is exiting wait for the next process", async () => {
  const bomb =
    "const a = []; export default () => { for (;;) a.push(new Uint8Array(2e7).fill(1)); };";
  await using deployment = await deployFunctions({
    functions: [module("bomb", bomb), ...await projectFunctions()],
    limits: { memoryMb: 64, memoryPollMs: 5, timeoutMs: 10_000 },
  });
  const { host } = deployment;
  await host.start();
  const [first] = host.pids;
  const result = await host.invoke(invocation("/", { function: "bomb" }));
  assert.ok(result.type === "failed");
  const answers = await Promise.all(
    Array.from({ length: 20 }, async () => bodyText(await host.invoke(invocation("/answer")))),
  );
  assert.deepEqual(new Set(answers), new Set(["answered"]));
  await until(() => host.pids.length === 2 && !runs(first!));
  const { pids } = host;
  await host.close();
  assert.ok(pids.every((pid) => !runs(pid)));
});

/**
 * Returns each thread's nice value (proc(5), stat, field 19). Threads can start and exit in the
 * meantime.
 */
function priorities(pid: number): number[] {
  return [...Deno.readDirSync(`/proc/${pid}/task`)].flatMap(({ name }) => {
    try {
      const stat = Deno.readTextFileSync(`/proc/${pid}/task/${name}/stat`);
      return [Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16])];
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw error;
    }
  });
}

Deno.test(
  "functions have a lower priority than the platform, and busy threads have the lowest",
  {
    ignore: Deno.build.os !== "linux",
  },
  async () => {
    await using deployment = await deployFunctions({
      functions: [
        module("loops", "export default () => { for (;;); };"),
        module("fine", "export default () => new Response('fine');"),
      ],
      limits: { timeoutMs: 60_000, cpuMs: 60_000 },
    });
    const { host } = deployment;
    await host.start();
    const pid = host.pids[0]!;
    assert.ok(
      priorities(pid).every((nice) => nice >= 10),
      "all threads of the process have a lower priority",
    );
    const looping = host.invoke(invocation("/", { function: "loops" }));
    await until(() => priorities(pid).some((nice) => nice >= 19));
    assert.equal(priorities(pid).filter((nice) => nice >= 19).length, 1);
    assert.equal(await bodyText(await host.invoke(invocation("/", { function: "fine" }))), "fine");
    await host.close();
    await looping;
  },
);
