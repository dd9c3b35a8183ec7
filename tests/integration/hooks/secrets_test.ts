import assert from "node:assert/strict";
import { runCli } from "../../../src/cli/_test_run.ts";
import { startHooks, withHooks } from "../../helpers/deploy_hooks.ts";
import { makeRepository } from "../../../src/lib/_test_git.ts";
import { deploy, rawRequest, TOKEN } from "../../helpers/platform.ts";
import { sleepBriefly } from "../../helpers/tool.ts";

/** Returns whether any file in a folder contains a string. */
async function holds(folder: string, text: string): Promise<boolean> {
  const { code } = await new Deno.Command("grep", { args: ["-rqaF", "-e", text, folder] }).output();
  return code === 0;
}

Deno.test("a hook's token is never stored or logged, and is returned only when it is created", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-hooks-" });
  const repository = await makeRepository(folder);
  const commitSha = await repository.commit("main", { "index.html": "<p>one</p>" });
  const platform = await startHooks({ folder, repository });
  const { api, port, trigger, hook, ended } = platform;
  await api("POST", "/v1/projects", { json: { name: "shop", gitUrl: repository.path } });
  const live = await deploy(platform, "shop", { files: { "index.html": "x" } });
  const first = (await hook()).url as string;
  const made = await hook({ name: "second" });
  const second = (await api("POST", `/v1/deploy-hooks/${made.id}/regenerate`)).json.url as string;
  const tokens = [first, made.url, second].map((url: string) => url.slice(-64));
  const answers: string[] = [];
  const tell = async (text: Promise<string>) => answers.push(await text);
  for (const url of [first, second]) {
    const path = new URL(url).pathname;
    await ended(await trigger(url, { branch: "main", commitSha, force: true }));
    await tell(
      trigger(url, { branch: "main", commitSha: "latest" }).then(({ json }) =>
        JSON.stringify(json)
      ),
    );
    await tell(
      trigger(url, { branch: "absent", commitSha }).then(({ json }) => JSON.stringify(json)),
    );
    for (const host of ["localhost", new URL(live.url).hostname, "unknown.localhost"]) {
      for (const method of ["GET", "POST", "DELETE"]) {
        for (const suffix of ["", "/", "/more", "?x=1"]) {
          const headers = { accept: "text/html,application/json" };
          await tell(
            rawRequest(port, { method, host, path: path + suffix, headers }).then(({ text }) =>
              text
            ),
          );
        }
      }
    }
  }
  for (
    const path of ["/v1/deploy-hooks", "/v1/security-events", "/v1/projects/shop/logs?limit=1000"]
  ) {
    await tell(api("GET", path).then(({ json }) => JSON.stringify(json)));
  }
  const log = answers.at(-1)!;
  assert.ok(log.includes("/v1/hooks/"), "as a control, calls to a wrong host are logged");
  await platform.shutdown();
  assert.ok(await holds(folder, made.id), "as a control, the search finds unencrypted text");
  for (const token of tokens) {
    for (const text of [...answers, ...platform.logged]) assert.ok(!text.includes(token), text);
    assert.equal(
      await holds(`${folder}/data`, token),
      false,
      "the data directory contains no token",
    );
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("the CLI never repeats a hook URL, even in errors and debug output", () =>
  withHooks(async ({ hook, port, repository }) => {
    const url = (await hook()).url as string;
    const sha = await repository.git("rev-parse", "main");
    const at = (port: number) => url.replace(/localhost:\d+/, `127.0.0.1:${port}`);
    const runs = [
      { url: at(port), commit: sha, code: 0 },
      { url: at(port), commit: "latest", code: 1 },
      { url: at(port).slice(0, -1) + (url.endsWith("0") ? "1" : "0"), commit: sha, code: 1 },
      { url: at(1), commit: sha, code: 1 },
      { url: `${at(port)}/more`, commit: sha, code: 2 },
    ];
    for (const [index, { url, commit, code }] of runs.entries()) {
      const token = /[0-9a-f]{64}/.exec(url)![0];
      for (const mode of [[], ["--json"]]) {
        const argv = [
          "hooks",
          "trigger",
          "--commit",
          commit,
          "--branch",
          "main",
          "--wait",
          ...mode,
        ];
        const run = await runCli(argv, { env: { SVC_HOOK_URL: url }, fetch, sleep: sleepBriefly });
        assert.equal(run.code, code, `${index}: ${run.stdout}${run.stderr}`);
        assert.ok(
          !(run.stdout + run.stderr).includes(token),
          `${index}: ${run.stdout}${run.stderr}`,
        );
      }
    }
  }));

Deno.test("git credentials are stored encrypted, never shown, and sent only to their own host", () =>
  withHooks(async ({ api, dataDir, logged }) => {
    const token = "ghp_0123456789abcdefSECRET";
    const path = "/v1/projects/shop";
    const refused = await api("PUT", `${path}/git-credentials`, { json: { type: "https", token } });
    assert.deepEqual(
      [refused.status, refused.json.code],
      [409, "conflict"],
      "credentials require an https URL, not a path",
    );
    for (
      const gitUrl of [`https://ada:${token}@git.example/x.git`, `https://${token}@git.example/x`]
    ) {
      const bad = await api("PATCH", path, { json: { gitUrl } });
      assert.equal(bad.status, 400);
      assert.match(bad.json.error, /svc projects git-credentials/);
      assert.ok(!JSON.stringify(bad.json).includes(token));
    }
    await api("PATCH", path, { json: { gitUrl: "https://git.example/x.git" } });
    const set = await api("PUT", `${path}/git-credentials`, { json: { type: "https", token } });
    assert.equal(set.json.gitCredentials, "https");
    const shown = await api("GET", path);
    assert.ok(!JSON.stringify([set.json, shown.json, logged]).includes(token));
    assert.equal(await holds(dataDir, token), false);
    await api("PATCH", path, { json: { gitUrl: "https://git.example/other.git" } });
    assert.equal(
      (await api("GET", path)).json.gitCredentials,
      "https",
      "credentials are kept if the host stays the same",
    );
    const moved = await api("PATCH", path, { json: { gitUrl: "https://evil.example/x.git" } });
    assert.equal(moved.json.gitCredentials, null);
    const removed = await api("DELETE", `${path}/git-credentials`, { token: TOKEN });
    assert.equal(removed.json.gitCredentials, null);
  }));
