import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../../lib/_test_until.ts";
import { runningServer } from "./running_server.ts";
import { inTestFolder } from "../../../lib/_test_folder.ts";

/** Returns a folder whose server has recorded `pid` as its process ID. */
async function withNote<T>(pid: number, run: (data: string) => Promise<T>): Promise<T> {
  return await inTestFolder(async (data) => {
    await Deno.writeTextFile(
      join(data, "postmaster.pid"),
      `${pid}\n${data}\n1764100000\n5432\n/run/socket\n\n`,
    );
    return await run(data);
  });
}

/** Returns a waiting process whose command line looks like PostgreSQL's for a folder. */
function startNamesake(folder: string): Deno.ChildProcess {
  return new Deno.Command("bash", {
    args: ["-c", 'exec -a /usr/bin/postgres cat - "$0"', folder],
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
}

Deno.test("runningServer() ignores a process that no longer exists", async () => {
  const ended = new Deno.Command("true").spawn();
  await ended.status;
  assert.equal(await withNote(ended.pid, runningServer), undefined);
  assert.equal(await runningServer("/nowhere"), undefined);
});

Deno.test({
  name: "runningServer() never mistakes another program with the same process ID for the server",
  ignore: Deno.build.os !== "linux",
  async fn() {
    assert.equal(await withNote(Deno.pid, runningServer), undefined);
    const folder = await Deno.makeTempDir({ prefix: "svc-test-" });
    const child = startNamesake(folder);
    try {
      const note = `${child.pid}\n${folder}\n1764100000\n5432\n/run/socket\n\n`;
      await Deno.writeTextFile(join(folder, "postmaster.pid"), note);
      const found = await until(() => runningServer(folder), (found) => found !== undefined);
      assert.deepEqual(found, { port: "5432", socketFolder: "/run/socket" });
      assert.equal(await withNote(child.pid, runningServer), undefined, "a server for other files");
    } finally {
      await child.stdin.close();
      await child.status;
      await Deno.remove(folder, { recursive: true });
    }
  },
});
