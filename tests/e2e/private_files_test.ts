/** Tests files in a project's own folder that visitors must not get. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { makeRepository } from "../../src/lib/_test_git.ts";
import { withSandbox } from "../helpers/sandbox.ts";
import { textOf, withBuilds } from "../helpers/git_builds.ts";

const HOST = "folder.localhost";

const KEY = ["BEGIN", "END"].map((end) => `-----${end} PRIVATE KEY-----\n`).join("MIIEvQIBADAN\n");

const FILES: Readonly<Record<string, string>> = {
  "index.html": "<h1>home</h1>",
  "compose.yaml": "services: {}",
  "netlify.toml": '[build]\npublish = "."\n',
  "private/plan.txt": "plan",
  ".gitignore": "private/\n",
  ".svcignore": "*.psd\n",
};

Deno.test("a project's root folder is deployed without secrets or configuration", async () => {
  await withSandbox(async (box) => {
    await Deno.mkdir(join(box.site, "private"), { recursive: true });
    for (const [path, text] of Object.entries(FILES)) {
      await Deno.writeTextFile(join(box.site, path), text);
    }
    await box.start();
    await box.json(["init", "--create", "--name", "folder"]);
    await Deno.writeTextFile(join(box.site, "deploy.pem"), KEY);
    await Deno.writeTextFile(join(box.site, "terraform.tfstate"), "{}");
    const refused = await box.tool(["deploy", "--prod"]);
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /deploy\.pem: Looks like a private key/);
    assert.match(refused.stderr, /terraform\.tfstate: Looks like Terraform state/);
    assert.match(refused.stderr, /To deploy it anyway, add "!\/deploy\.pem" to \.svcignore/);
    assert.equal((await box.page(HOST, "/")).status, 404, "nothing is deployed");

    await Deno.remove(join(box.site, "terraform.tfstate"));
    await Deno.writeTextFile(join(box.site, ".svcignore"), "*.psd\n!/deploy.pem\n");
    const deployed = await box.tool(["deploy", "--prod"]);
    assert.equal(deployed.code, 0, deployed.stderr);
    assert.match(
      deployed.stderr,
      /Skipped compose\.yaml, netlify\.toml: hosting or build configuration/,
    );
    assert.match(deployed.stderr, /Skipped 1 item that \.gitignore lists/);
    const statuses: Record<string, number> = {};
    for (const path of ["", "deploy.pem", "compose.yaml", "netlify.toml", "private/plan.txt"]) {
      statuses[path] = (await box.page(HOST, `/${path}`)).status;
    }
    assert.deepEqual(statuses, {
      "": 200,
      "deploy.pem": 200,
      "compose.yaml": 404,
      "netlify.toml": 404,
      "private/plan.txt": 404,
    });
  });
});

Deno.test("svc deploy names submodules and Git LFS files that have not been fetched", async () => {
  await withSandbox(async (box) => {
    const repository = await makeRepository(box.folder, "site");
    const oid = `oid sha256:${"a".repeat(64)}\nsize 9000000\n`;
    const sha = await repository.commit("main", {
      "index.html": "<h1>home</h1>",
      ".gitattributes": "*.mp4 filter=lfs\n",
      "intro.mp4": `version https://git-lfs.github.com/spec/v1\n${oid}`,
    });
    await repository.git("update-index", "--add", "--cacheinfo", `160000,${sha},themes/plain`);
    await box.start();
    await box.json(["init", "--create", "--name", "folder"]);
    const refused = await box.tool(["deploy", "--prod"]);
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /Submodules are empty: themes\/plain\. Fetch them with `git sub/);
    assert.match(
      refused.stderr,
      /Files are Git LFS pointers: intro\.mp4\. Fetch them with `git lfs/,
    );
    assert.match(refused.stderr, /intro\.mp4: Is a Git LFS pointer instead of the actual file/);
  });
});

Deno.test("a build from git fails and names the secret in its output", async () => {
  await withBuilds(async (platform) => {
    const { hook } = await platform.project("folder");
    const ended = await platform.build(hook, { "index.html": "x", "keys/tls.key": KEY });
    assert.equal(ended.status, "FAILED");
    assert.match(ended.error ?? "", /keys\/tls\.key: Looks like a private key/);
    const built = await platform.build(hook, { ".svcignore": "/keys/", "compose.yaml": "a: b" });
    assert.equal(built.error, null);
    assert.match(
      textOf(await platform.log(built.id)),
      /Skipped compose\.yaml: hosting or build configuration/,
    );
  });
});
