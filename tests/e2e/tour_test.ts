/** Follows the README's tour step by step with the real CLI and platform. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { ajvWithFormats } from "../../src/lib/_test_ajv.ts";
import { until } from "../../src/lib/_test_until.ts";
import { copySite, hostOf, type JsonObject, oneObject, withSandbox } from "../helpers/sandbox.ts";

Deno.test("in the tour, a site goes live, changes, and is rolled back", async (t) => {
  await withSandbox(async (box) => {
    await copySite("plain", box.site);
    await box.start();
    let first: Record<string, unknown> = {};

    await t.step("init --create creates the project and keeps the file's comments", async () => {
      const told = await box.json(["init", "--create"]);
      assert.equal(told.name, "kestrel-hut");
      const source = await Deno.readTextFile(join(box.site, "svc.toml"));
      assert.match(source, /# The folder is the site: nothing has to be built\./);
      assert.match(source, /id = "[0-9a-f-]{36}"/);
    });

    await t.step("deploy --prod serves the site at all three URLs", async () => {
      first = await box.json(["deploy", "--prod"]);
      assert.equal(first.status, "LIVE");
      const urls = first.urls as Record<"unique" | "branch" | "production", string>;
      const index = await Deno.readTextFile(join(box.site, "index.html"));
      for (const url of [urls.unique, urls.branch, urls.production]) {
        const page = await box.page(hostOf(url), "/");
        assert.equal(page.status, 200, url);
        assert.equal(page.text, index);
        assert.equal(page.headers["x-svc-deployment"], first.id);
        assert.ok(page.headers["x-svc-request-id"]);
      }
      assert.equal(hostOf(urls.production), "kestrel-hut.localhost");
    });

    await t.step("a preview leaves production unchanged", async () => {
      await Deno.writeTextFile(join(box.site, "robots.txt"), "User-agent: *\nDisallow: /\n");
      const preview = await box.json(["deploy", "--branch", "quiet"]);
      assert.deepEqual(preview.uploaded, { files: 1, bytes: 26 });
      const urls = preview.urls as Record<string, string>;
      assert.match((await box.page(hostOf(urls.branch), "/robots.txt")).text, /Disallow/);
      assert.match((await box.page("kestrel-hut.localhost", "/robots.txt")).text, /Allow: \//);
    });

    await t.step("a second deployment sends only files that the platform lacks", async () => {
      await Deno.writeTextFile(join(box.site, "beds.html"), "<h1>Full until August</h1>");
      const second = await box.json(["deploy", "--prod"]);
      assert.equal((second.uploaded as { files: number }).files, 1);
      assert.match((await box.page("kestrel-hut.localhost", "/beds")).text, /Full until August/);
      const urls = first.urls as Record<string, string>;
      assert.match((await box.page(hostOf(urls.unique), "/beds")).text, /Bench by the stove/);
    });

    await t.step("rollback makes the previous deployment live again", async () => {
      const told = await box.json(["rollback"]);
      assert.equal((told.deployment as { id: string }).id, first.id);
      assert.match((await box.page("kestrel-hut.localhost", "/beds")).text, /Bench by the stove/);
    });

    await t.step("svc deployments lists all three, newest first", async () => {
      const told = await box.json(["deployments"]);
      const items = told.deployments as { id: string; status: string }[];
      assert.deepEqual(items.map(({ status }) => status), ["ROLLED_BACK", "LIVE", "LIVE"]);
      assert.equal(items[2]!.id, first.id);
    });

    await t.step("logs shows requests and finds one by its path", async () => {
      const { entries } = await until(
        () => box.json(["logs", "--search", "/beds"]),
        ({ entries }) => (entries as unknown[]).length > 2,
      );
      const items = entries as { path: string; status: number }[];
      assert.deepEqual(new Set(items.map(({ path }) => path)), new Set(["/beds"]));
      assert.equal(items.length, 3);
    });

    await t.step("svc schema shows the format of each response and of failures", async () => {
      const ajv = ajvWithFormats({ allowUnionTypes: true });
      const schemaOf = async (...words: string[]) =>
        ajv.compile((await box.json(["schema", ...words])).schema as JsonObject);
      const check = await schemaOf("deployments", "list");
      assert.ok(check(await box.json(["deployments"])), ajv.errorsText(check.errors));
      const { code, stdout } = await box.tool(["deployments", "list", "--json", "--limit", "x"]);
      const failure = await schemaOf("failure");
      assert.equal(code, 2);
      assert.ok(failure(oneObject(stdout)), ajv.errorsText(failure.errors));
      assert.equal(check(oneObject(stdout)), false);
    });

    await t.step("everything is still there after a restart", async () => {
      assert.equal(await box.platform?.stop(), 0);
      const again = await box.start();
      assert.equal(again.token, undefined);
      const page = await box.page("kestrel-hut.localhost", "/beds");
      assert.match(page.text, /Bench by the stove/);
    });
  });
});
