import assert from "node:assert/strict";
import { join } from "node:path";
import { runCli } from "../_test_run.ts";
import { openCredentialStore } from "./credential_store.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";

const API = "http://platform.test";

Deno.test("a stored login sets the platform, key and workspace of a call", async () => {
  await inTestFolder(async (home) => {
    const env = { HOME: home };
    const store = await openCredentialStore(env);
    const login = { apiUrl: API, workspace: "acme", token: "stored", savedAt: new Date(0) };
    await store.saveLogin(login);
    const seen: Request[] = [];
    const spy: typeof fetch = (input, init) => {
      seen.push(new Request(input, init));
      return Promise.resolve(new Response(null, { status: 418 }));
    };
    await runCli(["whoami"], { env, fetch: spy });
    await runCli(["whoami", "--token", "flag", "--workspace", "other"], { env, fetch: spy });
    await runCli(["whoami", "--api-url", "http://other.test"], { env, fetch: spy });
    const lost = await runCli(["whoami"], { env });
    assert.match(lost.stderr, /Cannot reach the platform at http:\/\/platform\.test/);
    const refused = await runCli(["whoami"], {
      env,
      fetch: () => Promise.resolve(new Response(null, { status: 401 })),
    });
    assert.match(refused.stderr, /set SVC_TOKEN to a valid key for http:\/\/platform\.test/);
    assert.deepEqual(
      seen.map((request) => [
        new URL(request.url).origin,
        request.headers.get("authorization"),
        request.headers.get("x-workspace"),
      ]),
      [[API, "Bearer stored", "acme"], [API, "Bearer flag", "other"]],
    );
  });
});

Deno.test("a broken credentials file affects only commands that need it", async () => {
  await inTestFolder(async (home) => {
    const folder = join(home, ".config", "svc");
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(join(folder, "credentials.json"), "{ secret-token");
    const env = { HOME: home };
    const needed = await runCli(["whoami", "--json"], { env });
    assert.equal(needed.code, 1);
    assert.equal(JSON.parse(needed.stdout).code, "credentials_invalid");
    assert.ok(!needed.stdout.includes("secret-token"));
    const other = await runCli(["whoami", "--json", "--token", "key"], { env });
    assert.equal(JSON.parse(other.stdout).code, "unreachable");
  });
});
