/**
 * With an incomplete data directory or a full disk, nothing may be lost, and everything that still
 * exists must be served.
 */
// deno-lint-ignore-file no-console -- says why a test is skipped
import assert from "node:assert/strict";
import { until } from "../../../src/lib/_test_until.ts";
import { dirname, join } from "node:path";
import { runCli } from "../../../src/cli/_test_run.ts";
import { createProject, deploy, sha256, start } from "../../helpers/platform.ts";
import { fill, mountDisk } from "../../helpers/small_disk.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";

async function inFolder(test: (dataDir: string) => Promise<void>): Promise<void> {
  await inTestFolder(async (folder) => {
    await test(join(folder, "data"));
  });
}

/** Creates a data directory with a site, as a stopped platform leaves it. */
async function furnish(dataDir: string): Promise<void> {
  const platform = await start(dataDir);
  await createProject(platform, "shop");
  await deploy(platform, "shop", { files: { "index.html": "home" } });
  await platform.shutdown();
}

/** Runs `svc serve`, which must fail. Returns its errors as text and as JSON. */
async function serve(dataDir: string, ...flags: string[]) {
  const argv = ["serve", "--port", "0", "--data-dir", dataDir, ...flags, "--json"];
  const { code, stdout } = await runCli(argv, { env: { HOME: dirname(dataDir) } });
  return { exit: code, ...JSON.parse(stdout) };
}

const exists = (path: string) => Deno.stat(path).then(() => true, () => false);

Deno.test("a platform with records but no keys.json does not start and creates no key", () =>
  inFolder(async (dataDir) => {
    await furnish(dataDir);
    const keys = join(dataDir, "keys.json");
    const saved = await Deno.readFile(keys);
    await Deno.remove(keys);
    for (let round = 0; round < 2; round++) {
      await assert.rejects(start(dataDir), /data_incomplete/);
      assert.equal(await exists(keys), false);
    }
    const told = await serve(dataDir);
    assert.deepEqual([told.exit, told.code], [1, "data_incomplete"]);
    assert.match(
      told.error,
      /Cannot start without .*keys\.json: .* Restore the file from a backup/,
    );
    await Deno.writeFile(keys, saved);
    const platform = await start(dataDir);
    assert.equal((await platform.get("shop.localhost", "/")).text, "home");
    await platform.shutdown();
  }));

Deno.test("a damaged keys.json is reported and left unchanged", () =>
  inFolder(async (dataDir) => {
    await furnish(dataDir);
    const keys = join(dataDir, "keys.json");
    for (const content of ["", "{", '{"version":1,"keys":[]}', "\xff"]) {
      await Deno.writeFile(keys, Uint8Array.from(content, (each) => each.charCodeAt(0)));
      await assert.rejects(start(dataDir), /keys_unusable/);
      const told = await serve(dataDir);
      assert.deepEqual([told.exit, told.code], [1, "keys_unusable"]);
    }
  }));

Deno.test("a platform with blobs but an empty store starts only after the blobs are moved away", () =>
  inFolder(async (dataDir) => {
    await furnish(dataDir);
    for await (const { name } of Deno.readDir(dataDir)) {
      if (name.startsWith("kv.sqlite3")) await Deno.remove(join(dataDir, name));
    }
    await assert.rejects(start(dataDir), /data_incomplete/);
    const told = await serve(dataDir);
    assert.deepEqual([told.exit, told.code], [1, "data_incomplete"]);
    assert.match(told.error, /is empty, but .*blobs has the files of 1 workspace.*move .* away/);
    await Deno.rename(join(dataDir, "blobs"), join(dataDir, "blobs.old"));
    await (await start(dataDir)).shutdown();
  }));

Deno.test("an interrupted first start continues", () =>
  inFolder(async (dataDir) => {
    await Deno.mkdir(join(dataDir, "blobs", "incoming"), { recursive: true });
    const first = await start(dataDir);
    await first.shutdown();
    for await (const { name } of Deno.readDir(dataDir)) {
      if (name.startsWith("kv.sqlite3")) await Deno.remove(join(dataDir, name));
    }
    // The directory has keys, but neither records nor blobs, so nothing can be lost.
    await (await start(dataDir)).shutdown();
  }));

Deno.test("a store or disk that cannot be opened is not reported as a usage error", () =>
  inFolder(async (dataDir) => {
    await Deno.mkdir(dataDir, { recursive: true });
    const [folder, file] = [join(dataDir, "folder"), join(dataDir, "file")];
    await Deno.mkdir(folder);
    await Deno.writeTextFile(file, "no database, but text that is long enough ".repeat(200));
    const fresh = join(dataDir, "fresh");
    await assert.rejects(start(fresh, { kv: folder }), /store_unusable/);
    const rows: readonly [flags: readonly string[], code: string, message: RegExp][] = [
      [["--kv", folder], "store_unusable", /Cannot open the key-value store .*folder: /],
      [
        ["--kv", file],
        "store_unusable",
        /Cannot open the key-value store .*file: .*not a database/,
      ],
      [["--blobs", file], "store_unusable", /Cannot use the blob folder .*file: /],
      [
        ["--geoip", file],
        "file_unusable",
        /Cannot use the address database .*file: it is not an MMDB/,
      ],
    ];
    for (const [flags, code, message] of rows) {
      const told = await serve(fresh, ...flags);
      assert.deepEqual([told.exit, told.code], [1, code], JSON.stringify(told));
      assert.match(told.error, message);
    }
    const told = await serve(file);
    assert.deepEqual([told.exit, told.code], [1, "data_dir_unusable"]);
  }));

Deno.test("with a full disk, sites are served, and changes return a 507", async (t) => {
  return await inTestFolder(async (folder) => {
    await using disk = await mountDisk(join(folder, "disk"));
    if (disk === undefined) {
      console.warn("skipped: only root can mount a small disk");
      return;
    }
    const dataDir = join(folder, "disk", "data");
    const rest = join(folder, "disk", "rest");
    await furnish(dataDir);
    await t.step("a platform starts on a full disk", async () => {
      await fill(rest);
      const platform = await start(dataDir);
      try {
        assert.equal((await platform.get("shop.localhost", "/")).text, "home");
        await until(() => platform.logged.some((line) => /^error .*is read-only: .*/.test(line)));
        assert.equal((await platform.api("GET", "/v1/projects")).json.items.length, 1);
        const writes = [
          await platform.api("POST", "/v1/projects", { json: { name: "other" } }),
          await platform.api("PATCH", "/v1/projects/shop", { json: { branch: "next" } }),
          await platform.api("PUT", `/v1/blobs/${sha256("more")}`, { body: "more" }),
          await platform.api("POST", "/v1/api-keys", { json: { name: "ci" } }),
        ];
        for (const { status, json } of writes) {
          assert.deepEqual([status, json.code], [507, "storage_full"], JSON.stringify(json));
          assert.match(json.error, /disk (?:is|was) full/);
          assert.ok(!JSON.stringify(json).includes(folder));
        }
      } finally {
        await platform.shutdown();
      }
    });
    await t.step(
      "once there is space again, everything is unchanged, and changes succeed",
      async () => {
        await Deno.remove(rest);
        const platform = await start(dataDir);
        try {
          assert.equal((await platform.get("shop.localhost", "/")).text, "home");
          await createProject(platform, "other");
          await deploy(platform, "other", { files: { "index.html": "other" } });
          assert.equal((await platform.get("other.localhost", "/")).text, "other");
        } finally {
          await platform.shutdown();
        }
      },
    );
    await t.step("the disk fills up while the platform is running", async () => {
      const platform = await start(dataDir);
      try {
        await fill(rest);
        const bytes = new Uint8Array(100_000);
        const path = `/v1/blobs/${sha256(bytes)}`;
        const answer = await platform.api("PUT", path, { body: bytes });
        assert.deepEqual([answer.status, answer.json.code], [507, "storage_full"]);
        assert.equal((await platform.get("shop.localhost", "/")).text, "home");
      } finally {
        await Deno.remove(rest);
        await platform.shutdown();
      }
    });
  });
});
