import assert from "node:assert/strict";
import { join } from "node:path";
import { sha256Hex } from "../../lib/hash.ts";
import { type Decision, openFaultyStorage } from "../../platform/core/s3/_test_storage.ts";
import {
  checkWhole,
  DataDirInUseError,
  openDataDir,
  openFsBlobVault,
  openPlatformKv,
} from "../../platform/core/store/mod.ts";
import { migrateStore } from "./migrate_store.ts";
import { MigrationError } from "./migration_error.ts";
import type { Ends, FilesReport, MigrationOptions } from "./migration_options.ts";
import { DenoStore } from "../../store/mod.ts";

const WORKSPACE = "01890000-0000-7000-8000-000000000001";
const OTHER = "01890000-0000-7000-8000-000000000002";
const COUNT = 30;
const textOf = (index: number) => `blob ${index} ${"x".repeat(index * 100)}`;
const bytes = (text: string) => new TextEncoder().encode(text);

async function furnish(folder: string): Promise<void> {
  const vault = await openFsBlobVault(folder);
  for (let index = 0; index < COUNT; index++) {
    const workspace = vault.of(index % 2 === 0 ? WORKSPACE : OTHER);
    await workspace.put(sha256Hex(textOf(index)), bytes(textOf(index)));
  }
}

async function withStorage(
  run: (tools: {
    readonly dataDir: string;
    readonly storage: Awaited<ReturnType<typeof openFaultyStorage>>;
    migrate(files: Ends, more?: Partial<MigrationOptions>): Promise<FilesReport>;
  }) => Promise<void>,
): Promise<void> {
  const dataDir = await Deno.makeTempDir({ prefix: "svc-migrate-" });
  await using storage = await openFaultyStorage();
  try {
    (await DenoStore.open(join(dataDir, "kv.sqlite3"))).close();
    await furnish(join(dataDir, "blobs"));
    await run({
      dataDir,
      storage,
      async migrate(files, more = {}) {
        const report = await migrateStore({
          dataDir,
          files,
          version: "1.0.0",
          env: storage.env,
          signal: new AbortController().signal,
          onPart() {},
          onProgress() {},
          onTrouble() {},
          ...more,
        });
        return report.files!;
      },
    });
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
}

Deno.test("migrateStore() moves all blobs to object storage and back", () =>
  withStorage(async ({ dataDir, storage, migrate }) => {
    const there = await migrate({ to: storage.place });
    assert.deepEqual([there.blobs, there.copied], [COUNT, COUNT]);
    await Deno.remove(join(dataDir, "blobs"), { recursive: true });
    const back = await migrate({ from: storage.place });
    assert.deepEqual(back, there);
    const vault = await openFsBlobVault(join(dataDir, "blobs"));
    assert.equal((await Array.fromAsync(vault.list())).length, COUNT);
    const read = await vault.of(OTHER).read(sha256Hex(textOf(7)));
    assert.equal(new TextDecoder().decode(read), textOf(7));
  }));

Deno.test("a platform starts on the original files, but not on partly moved files", () =>
  withStorage(async ({ dataDir, storage, migrate }) => {
    const startsOn = async (blobs: string): Promise<void> => {
      const file = join(dataDir, "kv.sqlite3");
      const { kv, close } = await openPlatformKv(file, { env: {}, onTrouble() {}, onDamaged() {} });
      const vault = { countWorkspaces: () => Promise.resolve(0) };
      try {
        await checkWhole({ kv, vault }, { kv: file, blobs, keys: file });
      } finally {
        await close();
      }
    };
    const stopping = new AbortController();
    const interrupted = migrate({ to: storage.place }, {
      signal: stopping.signal,
      onProgress: () => stopping.abort(new Error("interrupted")),
    });
    await assert.rejects(interrupted, /interrupted/);
    await assert.rejects(startsOn(storage.place), /move of the files to s3:.* is incomplete/);
    await startsOn(join(dataDir, "blobs"));
    await migrate({ to: storage.place });
    await startsOn(storage.place);
  }));

Deno.test("migrateStore() continues from where it was interrupted", () =>
  withStorage(async ({ storage, migrate }) => {
    const stopping = new AbortController();
    let moved = 0;
    const onProgress = () => {
      if (++moved === 10) stopping.abort(new Error("interrupted"));
    };
    const signal = stopping.signal;
    await assert.rejects(migrate({ to: storage.place }, { signal, onProgress }), /interrupted/);
    const report = await migrate({ to: storage.place });
    assert.equal(report.blobs, COUNT);
    assert.ok(report.copied <= COUNT - 10, `${report.copied} were copied again`);
  }));

Deno.test("a second migrateStore() copies nothing and rejects a target that differs", () =>
  withStorage(async ({ dataDir, storage, migrate }) => {
    const there = await migrate({ to: storage.place });
    assert.deepEqual(await migrate({ to: storage.place }), { ...there, copied: 0 });
    const vault = await openFsBlobVault(join(dataDir, "blobs"));
    await vault.of(OTHER).put(sha256Hex("new"), bytes("new"));
    await assert.rejects(migrate({ to: storage.place }), /files that this move did not write/);
  }));

Deno.test("migrateStore() refuses while a platform runs on the data directory", () =>
  withStorage(async ({ dataDir, storage, migrate }) => {
    const running = await openDataDir(dataDir);
    try {
      await assert.rejects(migrate({ to: storage.place }), DataDirInUseError);
    } finally {
      running.release();
    }
  }));

Deno.test("migrateStore() reports damaged data and data missing in the target", () =>
  withStorage(async ({ dataDir, storage, migrate }) => {
    const sha256 = sha256Hex(textOf(2));
    const path = join(dataDir, "blobs", WORKSPACE, sha256.slice(0, 2), sha256);
    await Deno.writeTextFile(path, textOf(2).replace("blob", "BLOB"));
    await assert.rejects(migrate({ to: storage.place }), (error: Error) => {
      assert.ok(error instanceof MigrationError);
      assert.match(error.message, new RegExp(`Moved 29 files; skipped 1 .*${sha256}`));
      return true;
    });
    await Deno.writeTextFile(path, textOf(2));
    // Removes an object from the target's list, as if the target had lost it.
    storage.fault = async (request): Promise<Decision> => {
      if (request.method !== "GET") return "pass";
      const answer = await storage.pass(request);
      const text = await answer.text();
      return new Response(text.replace(/<Contents>.*?<\/Contents>/s, ""));
    };
    await assert.rejects(migrate({ to: storage.place }), /the target is missing 1 file, /);
  }));
