import assert from "node:assert/strict";
import { packTar } from "modern-tar";
import { join } from "node:path";
import { readFormatMark, writeFormatMark } from "../../lib/data_format.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { git, makeRepository } from "../../lib/_test_git.ts";
import type { BackupError } from "./backup_layout.ts";
import { keys } from "../../platform/core/store/mod.ts";
import { makeBackup } from "./make_backup.ts";
import { restoreBackup } from "./restore_backup.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";
import { DenoStore } from "../../store/mod.ts";

/** SHA-256 of "blob". */
const BLOB = "fa2c8cc4f28176bbeed4b736df569a34c79cd3723e9ec42f9674b4d46ac6b8b8";
const KEYS = `{"version":1,"keys":[{"id":"00000000","key":"${"A".repeat(43)}="}]}`;
const WORKSPACE = "01997e7c-6a5b-7cc2-b7d0-2f8f6a1b9a11";
const NOW = Date.parse("2026-11-22T10:00:00Z");

async function withData(
  test: (at: { readonly root: string; readonly dataDir: string }) => Promise<void>,
): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "svc-backup-" });
  const dataDir = join(root, "data");
  const folder = join(dataDir, "blobs", WORKSPACE, "aa");
  await Deno.mkdir(folder, { recursive: true });
  await Deno.mkdir(join(dataDir, "blobs", "incoming"));
  await Deno.writeTextFile(join(dataDir, "blobs", "incoming", "half"), "unfinished");
  await Deno.writeTextFile(join(folder, BLOB), "blob");
  await Deno.writeTextFile(join(dataDir, "keys.json"), KEYS);
  const kv = await DenoStore.open(join(dataDir, "kv.sqlite3"));
  await kv.set(["a"], "b");
  kv.close();
  try {
    await test({ root, dataDir });
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

const backUp = (dataDir: string, to: string) =>
  makeBackup({ dataDir, to, version: "1.2.3", now: () => NOW });

Deno.test("restoreBackup() restores the saved data, but no unfinished files", async () => {
  await withData(async ({ root, dataDir }) => {
    const [to, restored] = [join(root, "b.tar"), join(root, "restored")];
    const made = await backUp(dataDir, to);
    assert.equal((await Deno.stat(to)).mode! & 0o777, 0o600);
    const report = await restoreBackup({ from: to, dataDir: restored });
    assert.deepEqual([report.files, report.bytes], [made.files, made.bytes]);
    assert.equal(report.backup.createdAt, "2026-11-22T10:00:00.000Z");
    assert.equal((await readFormatMark(restored))?.program, "1.2.3");
    const names = [...Deno.readDirSync(join(restored, "blobs"))].map(({ name }) => name);
    assert.deepEqual(names, [WORKSPACE]);
    const blob = join(restored, "blobs", WORKSPACE, "aa", BLOB);
    assert.equal(await Deno.readTextFile(blob), "blob");
    const kv = await DenoStore.open(join(restored, "kv.sqlite3"));
    assert.equal((await kv.get(["a"])).value, "b");
    kv.close();
    const left = [...Deno.readDirSync(root)].map(({ name }) => name).sort();
    assert.deepEqual(left, ["b.tar", "data", "restored"]);
  });
});

Deno.test("restoreBackup() restores a pushed repository, which git can clone", async () => {
  await withData(async ({ root, dataDir }) => {
    const work = await makeRepository(root, "work");
    await work.commit("feature/é@1", { "index.html": "hello" });
    const name = `repositories/${WORKSPACE}.git`;
    await git(root, "clone", "--quiet", "--bare", "work", `data/${name}`);
    await git(join(dataDir, name), "pack-refs", "--all");
    const secret = join(root, "secret");
    await Deno.writeTextFile(secret, "of the operator");
    await Deno.symlink(secret, join(dataDir, name, "objects", "aa"));
    const [to, restored] = [join(root, "b.tar"), join(root, "restored")];
    await backUp(dataDir, to);
    assert.doesNotMatch(await Deno.readTextFile(to), /of the operator/);
    await restoreBackup({ from: to, dataDir: restored });
    await git(root, "clone", "--quiet", "--branch", "feature/é@1", `restored/${name}`, "copy");
    assert.equal(await Deno.readTextFile(join(root, "copy", "index.html")), "hello");
  });
});

Deno.test("makeBackup() includes restored dumps that are still to be imported", async () => {
  await withData(async ({ root, dataDir }) => {
    const [dump, gone] = ["0123456789abcdef", "fedcba9876543210"];
    const sealed = { keyId: "00000000", nonce: new Uint8Array(1), data: new Uint8Array(1) };
    const branch = (name: string, id: string) => ({
      id,
      databaseId: "d1",
      name,
      parent: null,
      role: name,
      password: sealed,
      verifier: "",
      storage: null,
      task: {
        target: { engine: "server", id: "00000000000000aa" },
        source: { type: "backup", id },
      },
      failure: null,
      gitBranch: null,
      createdAt: 0,
      resetAt: null,
      expiresAt: null,
    });
    const kv = await DenoStore.open(join(dataDir, "kv.sqlite3"));
    await kv.set(keys.databaseBranch("d1", "main"), branch("main", dump));
    await kv.set(keys.databaseBranch("d1", "lost"), branch("lost", gone));
    kv.close();
    await Deno.mkdir(join(dataDir, "database_dumps"));
    await Deno.writeTextFile(join(dataDir, "database_dumps", `${dump}.sql`), "select 1;");
    const [to, restored] = [join(root, "b.tar"), join(root, "restored")];
    const databases = { postgres: undefined };
    await makeBackup({ dataDir, to, databases, version: "1.2.3", now: () => NOW });
    await restoreBackup({ from: to, dataDir: restored, takesDamaged: true });
    const dumps = join(restored, "database_dumps");
    assert.deepEqual([...Deno.readDirSync(dumps)].map(({ name }) => name), [`${dump}.sql`]);
    assert.equal(await Deno.readTextFile(join(dumps, `${dump}.sql`)), "select 1;");
  });
});

Deno.test("restoreBackup() refuses a truncated or changed backup", async () => {
  await withData(async ({ root, dataDir }) => {
    const to = join(root, "b.tar");
    await backUp(dataDir, to);
    const whole = await Deno.readFile(to);
    const [from, restored] = [join(root, "part.tar"), join(root, "restored")];
    const refuses = async (bytes: Uint8Array) => {
      await Deno.writeFile(from, bytes);
      await assert.rejects(restoreBackup({ from, dataDir: restored }), { name: "BackupError" });
      await assert.rejects(Deno.stat(restored), Deno.errors.NotFound);
    };
    for (let end = 0; end < whole.length - 2048; end += 4096) await refuses(whole.subarray(0, end));
    const text = new TextDecoder("latin1").decode(whole);
    for (const content of ["SQLite format 3", "keys", "blob", "SVC_BACKUP_V1"]) {
      const changed = whole.slice();
      const at = text.lastIndexOf(content) + 2;
      changed[at] = changed[at]! ^ 1;
      await refuses(changed);
    }
    assert.deepEqual([...Deno.readDirSync(root)].map(({ name }) => name).sort(), [
      "b.tar",
      "data",
      "part.tar",
    ]);
  });
});

/** Creates an archive with a correct description and correct digests. */
async function archive(files: Readonly<Record<string, string>>, format = 1): Promise<Uint8Array> {
  const description = {
    schemaVersion: "SVC_BACKUP_V1",
    format,
    program: "9.0.0",
    createdAt: "2026-11-22T10:00:00.000Z",
  };
  const digests = Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name, sha256Hex(text)]),
  );
  const all = {
    "svc-backup.json": JSON.stringify(description),
    ...files,
    "digests.json": JSON.stringify(digests),
  };
  return await packTar(
    Object.entries(all).map(([name, text]) => ({
      header: { name, size: text.length, type: "file" as const },
      body: text,
    })),
  );
}

const BAD: readonly (readonly [name: string, files: Record<string, string>, format?: number])[] = [
  ["a path that leads outside", { "blobs/../../../evil": "x" }],
  ["an absolute path", { "/tmp/evil": "x" }],
  ["a hidden file", { "blobs/.evil/x": "x" }],
  ["another file of the data directory", { "lock": "x" }],
  ["a newer format", { "keys.json": "x" }, 999],
];

for (const [name, files, format] of BAD) {
  Deno.test(`restoreBackup() refuses ${name}`, async () => {
    await inTestFolder(async (root) => {
      const from = join(root, "b.tar");
      await Deno.writeFile(from, await archive(files, format));
      const says = format === undefined
        ? /it is not an svc backup/
        : /Cannot restore .* format 999/;
      await assert.rejects(restoreBackup({ from, dataDir: join(root, "data") }), says);
      assert.deepEqual([...Deno.readDirSync(root)].map((entry) => entry.name), ["b.tar"]);
    });
  });
}

Deno.test("restoreBackup() does not overwrite data, but accepts an empty folder", async () => {
  await withData(async ({ root, dataDir }) => {
    const to = join(root, "b.tar");
    await backUp(dataDir, to);
    await assert.rejects(restoreBackup({ from: to, dataDir }), /it already contains data/);
    const empty = join(root, "empty");
    await Deno.mkdir(empty);
    assert.equal((await restoreBackup({ from: to, dataDir: empty })).files, 3);
  });
});

Deno.test("makeBackup() leaves nothing behind if it fails", async () => {
  await withData(async ({ root, dataDir }) => {
    await Deno.remove(join(dataDir, "keys.json"));
    await assert.rejects(backUp(dataDir, join(root, "b.tar")), /it has no keys\.json/);
    await assert.rejects(
      backUp(join(root, "none"), join(root, "b.tar")),
      /there is no .*kv\.sqlite3/,
    );
    const gone = join(root, "gone");
    await assert.rejects(backUp(dataDir, join(gone, "b.tar")), (error: BackupError) => {
      assert.ok(error.message.endsWith(`b.tar: there is no folder ${gone}`), error.message);
      assert.match(error.hint!, /^Create that folder/);
      return true;
    });
    await assert.rejects(
      backUp(join(dataDir, "kv.sqlite3"), join(root, "b.tar")),
      /a part of its path is a file/,
    );
    assert.deepEqual([...Deno.readDirSync(root)].map(({ name }) => name), ["data"]);
  });
});

Deno.test("makeBackup() refuses data that a migration may have started to change", async () => {
  await withData(async ({ root, dataDir }) => {
    const migration = { from: 1, backup: "before-format-2.tar" };
    await writeFormatMark(dataDir, { format: 2, program: "2.0.0", migration });
    await assert.rejects(backUp(dataDir, join(root, "b.tar")), (error: BackupError) => {
      assert.match(error.message, /its migration to format 2 is not complete/);
      assert.match(
        error.hint!,
        /Start svc serve with this directory to continue\. The backup before-format-2\.tar in it/,
      );
      return true;
    });
    assert.deepEqual([...Deno.readDirSync(root)].map(({ name }) => name), ["data"]);
  });
});

Deno.test("makeBackup() removes the leftovers of a killed backup and refuses a concurrent one", async () => {
  await withData(async ({ root, dataDir }) => {
    const to = join(root, "b.tar");
    const folder = `${to}.partial`;
    await Deno.mkdir(folder, { mode: 0o700 });
    for (const name of ["lock", "backup.tar", "kv.sqlite3"]) {
      await Deno.writeTextFile(join(folder, name), "left");
    }
    using other = await Deno.open(join(folder, "lock"), { write: true });
    await other.lock(true);
    await assert.rejects(backUp(dataDir, to), /another svc backup is writing it/);
    assert.equal(await Deno.readTextFile(join(folder, "backup.tar")), "left");
    await other.unlock();
    await Deno.writeTextFile(join(folder, "letter.txt"), "mine");
    await assert.rejects(backUp(dataDir, to), /contains letter\.txt/);
    assert.equal(await Deno.readTextFile(join(folder, "letter.txt")), "mine");
    await Deno.remove(join(folder, "letter.txt"));
    await backUp(dataDir, to);
    const left = [...Deno.readDirSync(root)].map(({ name }) => name).sort();
    assert.deepEqual(left, ["b.tar", "data"]);
    assert.equal((await restoreBackup({ from: to, dataDir: join(root, "restored") })).files, 3);
  });
});

Deno.test({
  name: "makeBackup() refuses folders that other users have created or can open",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withData(async ({ root, dataDir }) => {
      const to = join(root, "b.tar");
      const folder = `${to}.partial`;
      const refusal = /already exists and is not a private folder of this user/;
      await Deno.mkdir(folder, { mode: 0o700 });
      await Deno.chmod(folder, 0o750);
      await assert.rejects(backUp(dataDir, to), refusal);
      await Deno.remove(folder);
      await Deno.mkdir(join(root, "elsewhere"), { mode: 0o700 });
      await Deno.symlink(join(root, "elsewhere"), folder);
      await assert.rejects(backUp(dataDir, to), refusal);
      await Deno.remove(folder);
      await Deno.writeTextFile(folder, "a file");
      await assert.rejects(backUp(dataDir, to), refusal);
      assert.equal(await Deno.readTextFile(folder), "a file");
      assert.deepEqual([...Deno.readDirSync(join(root, "elsewhere"))], []);
    }),
});

Deno.test("makeBackup() called concurrently creates one complete backup or reports why not", async () => {
  await withData(async ({ root, dataDir }) => {
    const to = join(root, "b.tar");
    const ended = await Promise.allSettled(Array.from({ length: 8 }, () => backUp(dataDir, to)));
    for (const each of ended) {
      if (each.status === "rejected") assert.match(each.reason.message, /another svc backup/);
    }
    assert.ok(ended.some(({ status }) => status === "fulfilled"));
    assert.deepEqual([...Deno.readDirSync(root)].map(({ name }) => name).sort(), ["b.tar", "data"]);
    assert.equal((await restoreBackup({ from: to, dataDir: join(root, "restored") })).files, 3);
  });
});
