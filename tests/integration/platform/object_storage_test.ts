/** Tests blobs in object storage. While the storage is down, sites must be served from caches. */
import assert from "node:assert/strict";
import { until } from "../../../src/lib/_test_until.ts";
import { join } from "node:path";
import { runCli } from "../../../src/cli/_test_run.ts";
import { openFaultyStorage } from "../../../src/platform/core/s3/_test_storage.ts";
import { create, createProject, deploy, start } from "../../helpers/platform.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";

const BIG = "x".repeat(3_000_000);
const FILES = { "index.html": "home", "other.html": "other", "big.txt": BIG };

Deno.test("a platform with object storage serves cached content while the storage is down", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-object-storage-" });
  await using storage = await openFaultyStorage();
  const options = {
    blobs: storage.place,
    env: { ...Deno.env.toObject(), ...storage.env },
  };
  const dataDir = join(folder, "data");
  try {
    const first = await start(dataDir, options);
    await createProject(first, "shop");
    await deploy(first, "shop", { files: FILES });
    assert.equal((await first.get("shop.localhost", "/")).text, "home");
    await first.shutdown();
    assert.deepEqual(Array.from(Deno.readDirSync(join(dataDir, "blobs"))), []);
    // Starts another node, which has none of the files.
    await Deno.remove(join(dataDir, "cache", "blobs"), { recursive: true });
    const platform = await start(dataDir, options);
    const get = (path: string, headers = {}) => platform.get("shop.localhost", path, headers);
    try {
      assert.equal((await get("/")).text, "home");
      const part = await get("/big.txt", { range: "bytes=2999990-" });
      assert.deepEqual([part.status, part.text], [206, "x".repeat(10)]);
      assert.equal((await get("/big.txt")).text, BIG);
      const before = storage.requests.length;
      assert.equal((await get("/big.txt")).text.length, BIG.length);
      assert.equal((await get("/")).status, 200);
      assert.equal(
        storage.requests.length,
        before,
        "cached content needs no request to the storage",
      );

      storage.fault = () => new Response("<Error><Code>SlowDown</Code></Error>", { status: 503 });
      const missing = await get("/other");
      assert.deepEqual([missing.status, missing.headers["retry-after"]], [503, "5"]);
      assert.equal((await get("/big.txt")).text, BIG);
      assert.equal((await get("/")).text, "home");
      const refused = await create(platform, "shop", { files: { "new.html": "new" } });
      assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "5"]);
      assert.match(refused.json.error, /The file storage is not responding/);
      const ready = await platform.get("localhost", "/readyz");
      assert.equal(ready.status, 200);
      assert.match(ready.text, /^ready\nBut the object storage is not responding/);
      await until(() => platform.logged.some((line) => /bucket .* used: 503 SlowDown/.test(line)));

      storage.fault = () => "pass";
      assert.equal(
        (await until(() => get("/other"), ({ status }) => status === 200)).text,
        "other",
      );
      await deploy(platform, "shop", { files: { ...FILES, "new.html": "new" } });
      assert.equal((await get("/new")).text, "new");
    } finally {
      await platform.shutdown();
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("svc serve refuses credentials in the object storage URL", async () => {
  const blobs = "s3://KEYID:SECRETVALUE@files";
  await inTestFolder(async (folder) => {
    const argv = ["serve", "--port", "0", "--data-dir", folder, "--blobs", blobs, "--json"];
    const { code, stdout } = await runCli(argv, { env: { HOME: folder } });
    const { error, code: name } = JSON.parse(stdout);
    assert.deepEqual([code, name], [2, "usage"]);
    assert.match(error, /it contains credentials, which others on this machine could read/);
    assert.ok(!stdout.includes("SECRETVALUE"));
  });
});
