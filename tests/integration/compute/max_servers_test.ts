/** Runs deployments that need more servers than the platform can run. */
import assert from "node:assert/strict";
import { deployServer } from "../../helpers/compute_site.ts";
import { createProject, start } from "../../helpers/platform.ts";

Deno.test("a platform runs no more servers than allowed and leaves no folder behind", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "svc-max-" });
  // Files that a killed platform has left behind.
  await Deno.mkdir(`${dataDir}/run/svc-cs-left`, { recursive: true });
  const platform = await start(dataDir, { maxServers: 1 });
  const folders = () => [...Deno.readDirSync(`${dataDir}/run`)].map(({ name }) => name);
  try {
    assert.deepEqual(folders(), []);
    for (const project of ["one", "two"]) {
      await createProject(platform, project);
      await deployServer(platform, project);
    }
    const pidOf = async (project: string) =>
      JSON.parse((await platform.get(`${project}.localhost`, "/api/echo")).text).pid as number;
    const first = await pidOf("one");
    assert.equal(folders().length, 1);
    assert.notEqual(await pidOf("two"), first);
    assert.equal(folders().length, 1, "the first server's process has stopped");
    const [slow, fast] = await Promise.all([
      platform.get("two.localhost", "/api/slow"),
      platform.get("one.localhost", "/x"),
    ]);
    assert.deepEqual([slow.text, fast.text], ["slow", "server: /x"]);
  } finally {
    await platform.shutdown();
  }
  assert.throws(() => Deno.statSync(`${dataDir}/run`), Deno.errors.NotFound);
  await Deno.remove(dataDir, { recursive: true });
});
