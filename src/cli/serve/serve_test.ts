import assert from "node:assert/strict";
import { join } from "node:path";
import { personWho, runCli, type RunOptions } from "../_test_run.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";

const TOKEN = "svc_serve_0123456789abcdef0123456789";

/** Runs `svc serve` on a free port, calls `use` with the output, and then stops it. */
async function serve(
  folder: string,
  use: (printed: string) => Promise<void> = () => Promise.resolve(),
  options: RunOptions & { readonly argv?: readonly string[] } = {},
) {
  const stop = new AbortController();
  const { argv = ["--json"], ...rest } = options;
  return await runCli(
    ["serve", "--port", "0", "--data-dir", join(folder, "data"), ...argv],
    {
      env: { HOME: folder, SVC_BOOTSTRAP_TOKEN: TOKEN },
      signal: stop.signal,
      onStdout: (printed) =>
        void use(printed).finally(() => stop.abort(new DOMException("Stop", "AbortError"))),
      ...rest,
    },
  );
}

Deno.test("serve prints the URL and token once, serves, and exits with 0 when stopped", async () => {
  await inTestFolder(async (folder) => {
    let status = 0;
    const first = await serve(folder, async (printed) => {
      const { url, token } = JSON.parse(printed);
      assert.equal(token, TOKEN);
      const { port } = new URL(url);
      const answer = await fetch(`http://127.0.0.1:${port}/v1/me`, {
        headers: { authorization: `Bearer ${token}` },
      });
      status = answer.status;
      await answer.body?.cancel();
    });
    assert.equal(first.code, 0);
    assert.equal(status, 200);
    assert.equal(first.stdout.trimEnd().split("\n").length, 1);
    const again = await serve(folder);
    assert.deepEqual(Object.keys(JSON.parse(again.stdout)), ["url"]);
  });
});

Deno.test("serve stores the first key only for a user at a terminal", async () => {
  await inTestFolder(async (folder) => {
    const file = join(folder, ".config", "svc", "credentials.json");
    const run = await serve(folder, undefined, { argv: [], prompter: personWho([]) });
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.stderr, /Stored the key in .*credentials\.json/);
    assert.ok((await Deno.readTextFile(file)).includes(TOKEN));
  });
  await inTestFolder(async (folder) => {
    const run = await serve(folder, undefined, { argv: [] });
    assert.equal(run.code, 0);
    await assert.rejects(Deno.stat(join(folder, ".config")), Deno.errors.NotFound);
  });
});

Deno.test("serve reports which port is taken", async () => {
  await inTestFolder(async (folder) => {
    const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = taken.addr as Deno.NetAddr;
    const run = await runCli(
      ["serve", "--port", String(port), "--data-dir", join(folder, "data"), "--json"],
      { env: { HOME: folder } },
    );
    taken.close();
    assert.equal(run.code, 1);
    const { code, error } = JSON.parse(run.stdout);
    assert.deepEqual([code, error], [
      "port_in_use",
      `127.0.0.1:${port} is in use`,
    ]);
  });
});
