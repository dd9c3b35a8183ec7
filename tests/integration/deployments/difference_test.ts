/** Creates deployments whose files are specified as the difference from another deployment. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { differenceOf, digestFiles } from "../../../src/contract/file_difference.ts";
import {
  createProject,
  deploy,
  fileList,
  type Files,
  sha256,
  STATIC_MANIFEST,
  type TestPlatform,
  upload,
  withPlatform,
} from "../../helpers/platform.ts";

const BEFORE: Files = { "index.html": "<p>1</p>", "a/b.html": "b", "a/c.html": "c" };
const AFTER: Files = { "index.html": "<p>2</p>", "a/b.html": "b", "d.html": "d" };

/**
 * Returns the request body for deploying `files` as the difference from `before`, the files of
 * `deployment`.
 */
function bodyOf(deployment: string, before: Files, files: Files) {
  const list = fileList(files);
  return {
    environment: "production",
    manifest: STATIC_MANIFEST,
    ...differenceOf(fileList(before), list),
    base: { deployment, digest: digestFiles(list) },
  };
}

const send = (platform: TestPlatform, project: string, json: unknown) =>
  platform.api("POST", `/v1/projects/${project}/deployments`, { json });

Deno.test("a difference from the live deployment goes live like a full list", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const live = await deploy(platform, "shop", { files: BEFORE });
    const body = bodyOf(live.id, BEFORE, AFTER);
    assert.deepEqual(body.files.map(({ path }) => path), ["index.html", "d.html"]);
    assert.deepEqual(body.removed, ["a/c.html"]);
    const checked = await platform.api("POST", "/v1/projects/shop/deployment-checks", {
      json: body,
    });
    assert.equal(checked.status, 200, JSON.stringify(checked.json));
    const created = await send(platform, "shop", body);
    assert.equal(created.status, 201, JSON.stringify(created.json));
    const lacking = [sha256("<p>2</p>"), sha256("d")].toSorted();
    assert.deepEqual(created.json.missing.toSorted(), lacking);
    assert.deepEqual(checked.json.missing.toSorted(), lacking);
    await upload(platform, AFTER);
    const { id, fileCount } = created.json.deployment;
    assert.equal(fileCount, 3);
    assert.equal((await platform.api("POST", `/v1/deployments/${id}/activate`)).status, 200);
    for (const [path, text] of Object.entries(AFTER)) {
      const url = `/${path.replace(/(?:index)?\.html$/, "")}`;
      assert.equal((await platform.get("shop.localhost", url)).text, text);
    }
    assert.equal((await platform.get("shop.localhost", "/a/c")).status, 404);
  }));

Deno.test("a base that is missing, mismatched or from another project is refused as unusable", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await createProject(platform, "blog");
    const foreign = await deploy(platform, "blog", { files: BEFORE });
    const live = await deploy(platform, "shop", { files: BEFORE });
    const unknown = "019abf2e-7c4d-7e1a-9b3f-5d6c7a8b9e05";
    const misjudged = bodyOf(live.id, { ...BEFORE, "index.html": "<p>2</p>" }, AFTER);
    for (
      const body of [
        bodyOf(foreign.id, BEFORE, AFTER),
        bodyOf(unknown, BEFORE, AFTER),
        misjudged,
      ]
    ) {
      const { status, json } = await send(platform, "shop", body);
      assert.deepEqual([status, json.code], [409, "base_unusable"], JSON.stringify(json));
      assert.match(json.error, /Send the complete list$/);
    }
    const { items } = (await platform.api("GET", "/v1/projects/shop/deployments")).json;
    assert.equal(items.length, 1);
  }));

Deno.test("an invalid difference is refused, and the field is reported", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const live = await deploy(platform, "shop", { files: BEFORE });
    const below = bodyOf(live.id, BEFORE, { ...BEFORE, "index.html/x": "x" });
    const [x] = fileList({ x: "x" });
    const twice = [x!, x!];
    const cases: readonly [body: Record<string, unknown>, path: string][] = [
      [below, "body.files[0].path"],
      [
        {
          ...below,
          files: twice,
          base: { deployment: live.id, digest: digestFiles([...fileList(BEFORE), ...twice]) },
        },
        "body.files[1].path",
      ],
      [{ ...below, removed: ["../x"] }, "body.removed[0]"],
      [{ ...below, base: { deployment: live.id } }, "body.base.digest"],
      [{ ...below, base: undefined, removed: ["a"] }, "body.removed"],
    ];
    for (const [body, path] of cases) {
      const { status, json } = await send(platform, "shop", body);
      assert.deepEqual([status, json.code], [400, "invalid_request"], JSON.stringify(json));
      assert.equal(json.problems[0].path, path);
    }
  }));

Deno.test("the response to a difference lists blobs in its base that are missing or damaged", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const live = await deploy(platform, "shop", { files: BEFORE });
    const blobs = join(platform.dataDir, "blobs");
    const of = (content: string) => `${sha256(content).slice(0, 2)}/${sha256(content)}`;
    for await (const { name } of Deno.readDir(blobs)) {
      await Deno.remove(join(blobs, name, of("b"))).catch(() => {});
      await Deno.writeTextFile(join(blobs, name, of("c")), "C", { create: false }).catch(() => {});
    }
    const { json } = await send(platform, "shop", bodyOf(live.id, BEFORE, BEFORE));
    assert.deepEqual(json.missing.toSorted(), [sha256("b"), sha256("c")].toSorted());
  }));
