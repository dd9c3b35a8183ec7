/**
 * Stops successors at each stage of a takeover. The previous platform must serve again, and no
 * request may be dropped. `RESTARTS=10` kills more successors.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { programCommand, startProgram } from "../../scripts/_program.ts";
import { openDataDir } from "../../src/platform/core/store/mod.ts";
import { Takeover } from "../../src/serve/mod.ts";
import { Client, deployKiosk, LOADS, underLoad } from "../helpers/restart_clients.ts";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const RESTARTS = Number(Deno.env.get("RESTARTS") ?? 1);

/** Maximum time to wait for a line in the platform's log, in milliseconds. */
const LINE_LIMIT_MS = 30_000;

/** Resolves when the platform has logged `words` a given number of times. */
async function said({ platform }: Sandbox, words: RegExp, times: number): Promise<void> {
  const until = Date.now() + LINE_LIMIT_MS;
  for (;;) {
    const found = [...platform!.errors().matchAll(new RegExp(words, "g"))].length;
    if (found >= times) return assert.equal(found, times);
    if (Date.now() > until) throw new Error(`No ${words}: ${platform!.errors()}`);
    await delay(20);
  }
}

const TOOK_OVER = /is taking over/;
const SERVES_AGAIN = /This one continues/;
const DID_NOT = /did not take over/;

/**
 * Sends each request over a new connection. Clients use a new platform once it has served some
 * requests on new connections.
 */
async function askAll(box: Sandbox): Promise<void> {
  for (const load of LOADS) await new Client(box.platform!.port, load, false).send();
}

/** Takes over as another platform would, up to `stage`, and then exits. */
async function takeOverUntil(
  box: Sandbox,
  stage: "asked" | "listening" | "released" | "opened",
): Promise<void> {
  const { port } = box.platform!;
  const takeover = await Takeover.begin(box.dataDir);
  assert.ok(takeover !== undefined);
  using _ = { [Symbol.dispose]: () => takeover.abandon() };
  if (stage === "asked") return;
  using listener = Deno.listen({ hostname: "127.0.0.1", port, reusePort: true });
  if (stage === "listening") return assert.equal(listener.addr.port, port);
  await takeover.takeOver();
  if (stage === "released") return;
  const dataDir = await openDataDir(box.dataDir);
  // Clients have to wait during this time.
  await delay(200);
  dataDir.release();
}

Deno.test("a platform resumes serving when its successor exits at any stage", async () => {
  await withSandbox(async (box) => {
    const { pid } = await box.start();
    await deployKiosk(box);
    await underLoad(box, async () => {
      await takeOverUntil(box, "asked");
      await said(box, DID_NOT, 1);
      await askAll(box);
      await takeOverUntil(box, "listening");
      await said(box, DID_NOT, 2);
      await askAll(box);
      await takeOverUntil(box, "released");
      await said(box, SERVES_AGAIN, 1);
      await askAll(box);
      await takeOverUntil(box, "opened");
      await said(box, SERVES_AGAIN, 2);
      await askAll(box);
    });
    assert.equal(box.platform!.pid, pid);
    await replaceAndStop(box);
  });
});

/**
 * Checks that the platform that has resumed serving can be replaced, and that its successor can be
 * stopped.
 */
async function replaceAndStop(box: Sandbox): Promise<void> {
  const before = box.platform!;
  box.platform = await startProgram({
    dataDir: box.dataDir,
    args: ["--replace"],
    env: { ...box.env },
  });
  assert.equal(await before.ended, 0, before.errors());
  await askAll(box);
  assert.equal(await box.platform!.stop(), 0, box.platform!.errors());
}

Deno.test("a platform resumes serving if its successor is killed or fails after the handover", async () => {
  await withSandbox(async (box) => {
    const { port, pid } = await box.start();
    await deployKiosk(box);
    const keys = join(box.folder, "keys.json");
    await Deno.writeTextFile(keys, "{");
    const serve = ["serve", "--replace", "--json", "--port", `${port}`, "--data-dir", box.dataDir];
    await underLoad(box, async () => {
      for (let count = 1; count <= RESTARTS; count++) {
        const [program, ...first] = programCommand();
        const successor = new Deno.Command(program, {
          args: [...first, ...serve],
          env: box.env,
          clearEnv: true,
          stdin: "null",
          stdout: "null",
          stderr: "null",
        }).spawn();
        await said(box, TOOK_OVER, count);
        successor.kill("SIGKILL");
        await successor.status;
        await said(box, SERVES_AGAIN, count);
      }
      const { code, stderr } = await box.tool([...serve, "--keys-file", keys]);
      assert.equal(code, 1, stderr);
      await said(box, SERVES_AGAIN, RESTARTS + 1);
      await askAll(box);
    });
    // When a successor exits, the responses that it has started break off, so no client is active
    // here.
    const ready = await startProgram({ dataDir: box.dataDir, args: ["--replace"], env: box.env });
    await ready.kill();
    await said(box, SERVES_AGAIN, RESTARTS + 2);
    await askAll(box);
    assert.equal(box.platform!.pid, pid);
    await replaceAndStop(box);
  });
});
