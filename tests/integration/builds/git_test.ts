/** Deploys a pushed site with nothing but a hook's URL. */
import assert from "node:assert/strict";
import { checkEvent, fetchStream } from "../../helpers/contract.ts";
import { textOf, withBuilds } from "../../helpers/git_builds.ts";
import { makeSite, serveGit } from "../../../src/lib/_test_git.ts";
import { until } from "../../../src/lib/_test_until.ts";

const hostOf = (url: string) => new URL(url).hostname;

Deno.test("a hook's URL creates production and preview deployments", async () => {
  await withBuilds(async ({ project, trigger, ended, get, folder }) => {
    const { repository, main, feature } = await makeSite(`${folder}/three`);
    const { hook } = await project("shop", { gitUrl: repository.path });
    const production = await trigger(hook, { branch: "main", commitSha: main.slice(0, 9) });
    assert.equal(production.isPreview, false);
    assert.equal((await ended(production.id)).error, null);
    assert.match((await get("shop.localhost", "/")).text, /<h1>main<\/h1>/);
    const preview = await trigger(hook, { branch: "feature/menu", commitSha: feature });
    assert.equal(preview.isPreview, true);
    assert.equal((await ended(preview.id)).status, "LIVE");
    assert.match((await get(hostOf(preview.url), "/")).text, /<h1>menu<\/h1>/);
    assert.match((await get("shop.localhost", "/")).text, /<h1>main<\/h1>/);
  });
});

Deno.test("a private repository is built over smart HTTP with stored credentials", async () => {
  await withBuilds(async ({ project, trigger, ended, get, folder, api }) => {
    const { main } = await makeSite(`${folder}/private`);
    await using server = serveGit(`${folder}/private`, { basic: "ada:s3cret-token" });
    const { id, hook } = await project("shop", { gitUrl: `${server.url}/site/.git` });
    assert.notEqual((await trigger(hook, { branch: "main", commitSha: main })).status, 200);
    const stored = await api("PUT", `/v1/projects/${id}/git-credentials`, {
      json: { type: "https", username: "ada", token: "s3cret-token" },
    });
    assert.ok(stored.status < 300, JSON.stringify(stored.json));
    const triggered = await trigger(hook, { branch: "main", commitSha: main });
    assert.equal((await ended(triggered.id)).error, null);
    assert.match((await get("shop.localhost", "/")).text, /main/);
  });
});

Deno.test("the build command runs with the environment's variables, and the log masks secrets", async () => {
  await withBuilds(async ({ project, build, get, api, log }) => {
    const { id, hook } = await project("shop", {
      buildCommand: "sh build.sh",
      outputDirectory: "out",
    });
    for (
      const [key, value, category] of [
        ["GREETING", "hello", "plain"],
        ["API_KEY", "very-secret-value", "secret"],
      ]
    ) {
      const { status } = await api("PUT", `/v1/projects/${id}/variables/${key}`, {
        json: { value, category, scope: "all" },
      });
      assert.ok(status < 300);
    }
    const deployment = await build(hook, {
      "build.sh": [
        "mkdir out",
        'echo "<p>$GREETING ${#API_KEY} $CI $SVC_BRANCH</p>" > out/index.html',
        'echo "key is $API_KEY and $GREETING"',
        "printf '%s' \"$API_KEY\" | cut -c1-9 | tr -d '\\n'; sleep 0.3; printf '%s\\n' \"$API_KEY\" | cut -c10-",
        'printf "\\033[31mred\\033[0m\\n" >&2',
      ].join("\n"),
    });
    assert.equal(deployment.error, null);
    assert.equal((await get("shop.localhost", "/")).text.trim(), "<p>hello 17 1 main</p>");
    const text = textOf(await log(deployment.id));
    assert.match(text, /key is ••• and hello\n/);
    assert.match(text, /^red$/m);
    assert.ok(!text.includes("very-secret"), text);
    const first = await log(deployment.id);
    assert.equal(first[0]?.number, 1);
  });
});

Deno.test("builds support a root directory and local packages, and failures report their cause", async () => {
  await withBuilds(async ({ project, build, get, log, repository }) => {
    const { id, hook } = await project("shop", {
      rootDirectory: "apps/web",
      buildCommand: "npm run build",
      outputDirectory: "public",
    });
    const deployment = await build(hook, {
      "packages/words/package.json": JSON.stringify({ name: "words", version: "1.0.0" }),
      "packages/words/index.js": "module.exports = 'from a package';",
      "apps/web/package.json": JSON.stringify({
        name: "web",
        scripts: { build: "node build.js" },
        dependencies: { words: "file:../../packages/words" },
      }),
      "apps/web/build.js": `const fs = require("fs"); fs.mkdirSync("public");
        fs.writeFileSync("public/index.html", require("words"));`,
    });
    assert.equal(deployment.error, null, textOf(await log(deployment.id)));
    assert.equal((await get("shop.localhost", "/")).text, "from a package");
    const failed = await build(hook, {
      "apps/web/build.js": "console.log('no!'); process.exit(3)",
    });
    assert.equal(failed.status, "FAILED");
    assert.match(failed.error ?? "", /Build failed: `npm run build` exited with code 3/);
    assert.match(textOf(await log(failed.id)), /no!/);
    assert.ok(id.length > 0);
    await repository.git("rm", "-r", "--quiet", "apps");
    const gone = await build(hook, { "README.md": "nothing" });
    assert.match(gone.error ?? "", /root directory/i);
  });
});

Deno.test("a build's log can be followed to the end", async () => {
  await withBuilds(async ({ project, repository, trigger, port, ended }) => {
    const { hook } = await project("shop", {
      buildCommand:
        "for i in 1 2 3 4 5; do echo line $i; sleep 0.1; done; mkdir o; echo x > o/a.html",
      outputDirectory: "o",
    });
    const commitSha = await repository.commit("main", { "a.txt": "a" });
    const { id } = await trigger(hook, { branch: "main", commitSha });
    const url = `http://127.0.0.1:${port}/v1/deployments/${id}/build-log/stream`;
    const response = await fetchStream(url, {
      headers: { authorization: "Bearer integration-test-token-0123456789" },
    });
    const text = await response.text();
    const events = text.split("\n").filter((line) => line.startsWith("data: "))
      .map((line) => JSON.parse(line.slice(6)));
    for (const event of events) checkEvent(url, event);
    const lines = events.flatMap((event) => event.lines.map((line: { text: string }) => line.text));
    for (let count = 1; count <= 5; count++) {
      assert.equal(lines.filter((line: string) => line === `line ${count}`).length, 1);
    }
    assert.equal(events.at(-1).isComplete, true);
    assert.ok(events.length > 3, "lines arrive as they are printed");
    await ended(id);
  });
});

Deno.test("a stopped deployment's build stops and leaves nothing behind", async () => {
  await withBuilds(async ({ project, repository, trigger, api, ended, dataDir, log }) => {
    const { hook } = await project("shop", { buildCommand: "echo begun; sleep 600" });
    const commitSha = await repository.commit("main", { "a.txt": "a" });
    const { id } = await trigger(hook, { branch: "main", commitSha });
    await until(async () => textOf(await log(id)).includes("begun"));
    assert.equal((await api("POST", `/v1/deployments/${id}/stop`)).status, 200);
    assert.equal((await ended(id)).status, "STOPPED");
    await until(
      () => Array.fromAsync(Deno.readDir(`${dataDir}/builds`), ({ name }) => name),
      (left) => left.length === 0,
    );
  });
});

Deno.test("a project selects its Node version, which is cached for its next build", async () => {
  await withBuilds(async ({ project, build, get, log }) => {
    const { hook } = await project("shop", {
      nodeVersion: "22",
      buildCommand: "node build.mjs",
      outputDirectory: "out",
    });
    const script = `import fs from "node:fs"; fs.mkdirSync("out");
      fs.writeFileSync("out/index.html", process.version);`;
    const first = await build(hook, { "build.mjs": script });
    assert.equal(first.error, null, textOf(await log(first.id)));
    assert.match((await get("shop.localhost", "/")).text, /^v22\./);
    assert.match(textOf(await log(first.id)), /Installing Node 22/);
    const second = await build(hook, { "again.txt": "again" });
    assert.equal(second.error, null);
    assert.doesNotMatch(textOf(await log(second.id)), /Installing Node/);
  });
});
