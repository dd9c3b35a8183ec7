/** Platforms take over from one another under load. `RESTARTS=30` makes this a long test. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startProgram } from "../../scripts/_program.ts";
import { Client, deployKiosk, LOADS, underLoad } from "../helpers/restart_clients.ts";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const RESTARTS = Number(Deno.env.get("RESTARTS") ?? 2);

/**
 * Starts a platform that takes over from the running one. Resolves when the previous platform has
 * exited.
 */
async function replace(box: Sandbox): Promise<void> {
  const before = box.platform!;
  const platform = await startProgram({
    dataDir: box.dataDir,
    args: ["--replace"],
    env: { ...box.env },
  });
  box.platform = platform;
  assert.equal(platform.port, before.port);
  assert.equal(await before.ended, 0, before.errors());
}

Deno.test("platforms that replace each other drop no requests", async () => {
  await withSandbox(async (box) => {
    await box.start();
    await deployKiosk(box);
    const clients = await underLoad(box, async () => {
      for (let count = 0; count < RESTARTS; count++) await replace(box);
    });
    for (const { counts } of clients) assert.ok(counts.connections > 1);
    const { code } = await box.tool(["serve", "--port", "0", "--data-dir", box.dataDir]);
    assert.equal(code, 1, "a second platform is refused without --replace");
    assert.equal(await box.platform!.stop(), 0, box.platform!.errors());
  });
});

Deno.test("a platform keeps running if its replacement does not start", async () => {
  await withSandbox(async (box) => {
    await box.start();
    const { port, pid, errors } = box.platform!;
    await deployKiosk(box);
    using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const text = join(box.site, "index.html");
    const inMissing = join(box.site, "missing", "file");
    const failing: readonly (readonly [args: readonly string[], reason: RegExp])[] = [
      [["--geoip", text], /Cannot use the address database/],
      [["--tls-cert", inMissing, "--tls-key", inMissing], /missing/],
      [["--tls-cert", text, "--tls-key", text], /index\.html/],
      [["--port", `${taken.addr.port}`], / is in use/],
      [["--smtp-url", "gopher://mail"], /smtp/],
    ];
    for (const [args, reason] of failing) {
      const all = ["serve", "--replace", "--port", `${port}`, "--data-dir", box.dataDir, ...args];
      const { code, stderr } = await box.tool(all);
      assert.ok(code > 0, args.join(" "));
      assert.match(stderr, reason, args.join(" "));
      const client = new Client(port, LOADS[0]!, false);
      await client.send();
      assert.equal(client.counts.requests, 1);
    }
    assert.equal(box.platform!.pid, pid, errors());
    await replace(box);
    assert.equal(await box.platform!.stop(), 0, box.platform!.errors());
  });
});
