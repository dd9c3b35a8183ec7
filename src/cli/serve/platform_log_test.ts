import assert from "node:assert/strict";
import { join } from "node:path";
import { NOW, runCli } from "../_test_run.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";

Deno.test("serve --log-format json writes one object per line, and never repeats a given key", async () => {
  await inTestFolder(async (folder) => {
    const stop = new AbortController();
    const token = "svc_serve_0123456789abcdef0123456789";
    const argv = ["serve", "--port", "0", "--data-dir", join(folder, "data")];
    const { code, stdout, stderr } = await runCli([...argv, "--log-format", "json"], {
      env: { HOME: folder, SVC_BOOTSTRAP_TOKEN: token },
      signal: stop.signal,
      onStdout: () => stop.abort(new DOMException("Stop", "AbortError")),
    });
    assert.equal(code, 0);
    const lines = stderr.trimEnd().split("\n").map((line) => JSON.parse(line));
    assert.match(lines.map(({ message }) => message).join("\n"), /Platform ready at http:/);
    for (const { time, level, message } of lines) {
      assert.equal(time, new Date(NOW).toISOString());
      assert.match(level, /^(?:info|warn|error)$/);
      assert.equal(typeof message, "string");
    }
    assert.ok(!stdout.includes(token) && !stderr.includes(token));
  });
});

Deno.test("serve --install needs the compiled program, and --dry-run needs --install", async () => {
  const installed = await runCli(["serve", "--install"], { env: { HOME: "/nowhere" } });
  assert.deepEqual([installed.code, installed.stdout], [1, ""]);
  assert.match(installed.stderr, /Cannot install a service for svc running from source/);
  const secret = await runCli(["serve", "--install", "--bot-token", "x"], {
    env: { HOME: "/nowhere" },
  });
  assert.match(secret.stderr, /Remove --bot-token: other users can read the service file/);
  assert.equal((await runCli(["serve", "--dry-run"])).code, 2);
});
