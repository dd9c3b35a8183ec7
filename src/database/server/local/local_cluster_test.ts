import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import process from "node:process";
import { spawnProgram } from "../../../lib/spawn_program.ts";
import { NO_POSTGRES, startTestServer } from "../_test_server.ts";

const ignore = NO_POSTGRES !== undefined;
const skipped = ignore ? ` (skipped: ${NO_POSTGRES})` : "";

async function serverProcess(dataFolder: string): Promise<number> {
  return Number.parseInt(await Deno.readTextFile(`${dataFolder}/postgres/data/postmaster.pid`));
}

Deno.test({
  name: `LocalCluster takes over a server whose platform was killed${skipped}`,
  ignore,
  fn: async () => {
    const dataFolder = await Deno.makeTempDir({ prefix: "svc-test-" });
    const killed = spawnProgram(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--no-check",
        "--frozen",
        fileURLToPath(new URL("./_test_platform.ts", import.meta.url)),
        dataFolder,
      ],
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    });
    const reader = killed.stdout.getReader();
    assert.equal(new TextDecoder().decode((await reader.read()).value), "ready\n");
    killed.kill("SIGKILL");
    await killed.status;
    await reader.cancel();
    const before = await serverProcess(dataFolder);
    assert.ok(process.kill(before, 0), "the server outlives the platform");

    await using server = await startTestServer(dataFolder);
    assert.equal((await server.engine.status()).ready, true);
    assert.equal(await serverProcess(dataFolder), before);
    await server.engine.close();
    await assert.rejects(serverProcess(dataFolder), Deno.errors.NotFound, "the server has stopped");
    assert.deepEqual(server.troubles, []);
  },
});
