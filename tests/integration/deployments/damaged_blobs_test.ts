/**
 * Changes blobs on disk. The platform must detect the damage, never serve the damaged blobs, and
 * repair them when the same content is uploaded.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../../src/lib/_test_until.ts";
import {
  create,
  createProject,
  deploy,
  fileList,
  sha256,
  start,
  STATIC_MANIFEST,
  type TestPlatform,
  upload,
  withPlatform,
} from "../../helpers/platform.ts";

/** Finds the path of a blob's file. */
async function blobFile({ dataDir }: TestPlatform, content: string): Promise<string> {
  const hash = sha256(content);
  const blobs = join(dataDir, "blobs");
  for await (const { name } of Deno.readDir(blobs)) {
    const path = join(blobs, name, hash.slice(0, 2), hash);
    if (await Deno.stat(path).then(() => true, () => false)) return path;
  }
  throw new Error(`Cannot find the blob ${hash}`);
}

/** Changes one byte of a blob, but not its size. */
async function flipByte(path: string, at: number): Promise<void> {
  const bytes = await Deno.readFile(path);
  bytes[at]! ^= 1;
  await Deno.writeFile(path, bytes);
}

const damagesIn = ({ logged }: TestPlatform) =>
  logged.filter((line) => line.includes("is damaged"));

const LARGE = "0123456789abcdef".repeat(200_000);
const FILES = { "index.html": "<p>home</p>", "film.bin": LARGE };

Deno.test("deploying the same content repairs damaged blobs, even if their size is unchanged", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files: FILES });
    await flipByte(await blobFile(platform, FILES["index.html"]), 3);
    await Deno.truncate(await blobFile(platform, LARGE), 1000);
    const created = await create(platform, "shop", { files: FILES });
    assert.deepEqual(
      created.json.missing.toSorted(),
      [sha256(FILES["index.html"]), sha256(LARGE)].toSorted(),
    );
    await until(() => damagesIn(platform).length, (count) => count === 2);
    await upload(platform, FILES);
    const { id } = created.json.deployment;
    assert.equal((await platform.api("POST", `/v1/deployments/${id}/activate`)).status, 200);
    assert.equal((await platform.get("shop.localhost", "/")).text, FILES["index.html"]);
    assert.equal((await platform.get("shop.localhost", "/film.bin")).text, LARGE);
  }));

Deno.test("uploading the same blob again repairs it", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files: FILES });
    await flipByte(await blobFile(platform, FILES["index.html"]), 3);
    assert.equal((await platform.get("shop.localhost", "/")).status, 500);
    await upload(platform, FILES);
    assert.equal((await platform.get("shop.localhost", "/")).text, FILES["index.html"]);
  }));

Deno.test("a range of a large blob that is damaged anywhere is refused and logged", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "svc-test-" });
  const range = (platform: TestPlatform, range: string) =>
    platform.get("shop.localhost", "/film.bin", { range });
  // An edge that has not yet verified the blob does not serve any part of it.
  let platform = await start(dataDir, { edges: 0 });
  try {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files: FILES });
    const sound = await range(platform, "bytes=1000000-1000015");
    assert.deepEqual([sound.status, sound.text], [206, LARGE.slice(1_000_000, 1_000_016)]);
    await flipByte(await blobFile(platform, LARGE), 1_000_005);
    // The blob was verified in this process before it changed, so each block is checked again.
    const other = await range(platform, "bytes=0-15");
    assert.deepEqual([other.status, other.text], [206, LARGE.slice(0, 16)]);
    assert.equal((await range(platform, "bytes=1000000-1000015")).status, 500);
    await until(() =>
      platform.logged.some((line) => /^error .* damaged, and was moved to/.test(line))
    );
    // Once the damage has been found, no part of the blob is served.
    for (const what of ["bytes=0-15", "bytes=0-5,10-20"]) {
      assert.equal((await range(platform, what)).status, 500, what);
    }
    assert.equal((await platform.get("shop.localhost", "/film.bin")).status, 500);
    await upload(platform, FILES);
    assert.equal((await range(platform, "bytes=1000000-1000015")).status, 206);

    await flipByte(await blobFile(platform, LARGE), 2_000_000);
    await platform.shutdown();
    platform = await start(dataDir);
    // The new process has not verified the blob, so it verifies the whole blob before it serves the
    // first range.
    assert.equal((await range(platform, "bytes=0-15")).status, 500);
    assert.equal((await range(platform, "bytes=0-5,10-20")).status, 500);
  } finally {
    await platform.shutdown();
    await Deno.remove(dataDir, { recursive: true });
  }
});

Deno.test("if a large blob is damaged after it was served, the next transfer breaks off", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files: FILES });
    const film = () => platform.get("shop.localhost", "/film.bin");
    assert.equal((await film()).text, LARGE);
    await flipByte(await blobFile(platform, LARGE), 1_000_005);
    await assert.rejects(film(), /closed early|reset/i);
    const { status } = await film();
    assert.equal(status, 500);
    await until(() => damagesIn(platform).length, (count) => count === 1);
    await upload(platform, FILES);
    assert.equal((await film()).text, LARGE);
  }));

Deno.test("a list of files with a wrong size is refused, and the field is reported", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await upload(platform, FILES);
    const body = (files: unknown[]) => ({
      json: { environment: "production", manifest: STATIC_MANIFEST, files },
    });
    const [index, film] = fileList(FILES);
    const post = (files: unknown[]) =>
      platform.api("POST", "/v1/projects/shop/deployments", body(files));
    const cases: readonly [files: unknown[], path: string, message: RegExp][] = [
      [[{ ...index, size: -1 }], "body.files[0].size", />=0/],
      [[index, { ...film, size: 2 ** 53 }], "body.files[1].size", /safe|int|<=/i],
      [[index, { ...film, size: 1e300 }], "body.files[1].size", /./],
      [[{ ...index, size: 5 }], "body.files[0].size", /Must be 11, .*, but is 5/],
      [[index, { ...index, path: "b", size: 12 }], "body.files[1].size", /Must be 11.*is 12/],
      [[index, { ...index, path: "x".repeat(300) }], "body.files[1].path", /at most 255 bytes/],
      [[index, { ...index, path: `a/${"é".repeat(200)}/b` }], "body.files[1].path", /255 bytes/],
    ];
    for (const [files, path, message] of cases) {
      const answer = await post(files);
      assert.equal(answer.status, 400, JSON.stringify(answer.json));
      assert.equal(answer.json.problems[0].path, path);
      assert.match(answer.json.problems[0].message, message);
    }
    const many = Array.from({ length: 200 }, (_, n) => ({
      path: `${n}`,
      sha256: n.toString(16).padStart(64, "0"),
      size: 1024 ** 3,
    }));
    assert.equal((await post(many)).status, 413);
    const late = await post([{ ...index, sha256: sha256("later"), size: 4 }]);
    await upload(platform, { late: "later" });
    const { id } = late.json.deployment;
    const activated = await platform.api("POST", `/v1/deployments/${id}/activate`);
    assert.deepEqual([activated.status, activated.json.code], [400, "blob_mismatch"]);
    assert.match(activated.json.problems[0].message, /Has 5 bytes, but the list says 4/);
  }));
