import assert from "node:assert/strict";
import { join } from "node:path";
import {
  markFinished,
  markUnfinished,
  readFormatMark,
  writeFormatMark,
} from "../lib/data_format.ts";
import { DataIncompleteError } from "../platform/core/store/mod.ts";
import { DataNotMigratedError, type Migration } from "./migrate_format.ts";
import { DataNewerError, requireFormat, settleFormat } from "./settle_format.ts";

interface Scene {
  readonly dataDir: string;
  /** Paths of the created backups. */
  readonly backups: string[];
  readonly logged: string[];
  settle(format: number, migrations?: readonly Migration[]): Promise<void>;
  /** Reads the format in the directory's mark. */
  format(): Promise<number | undefined>;
}

async function withDirectory(test: (scene: Scene) => Promise<void>): Promise<void> {
  const dataDir = await Deno.makeTempDir({ prefix: "svc-format-" });
  const backups: string[] = [];
  const logged: string[] = [];
  try {
    await test({
      dataDir,
      backups,
      logged,
      settle: (format, migrations = []) =>
        settleFormat({
          version: `${format}.0.0`,
          format,
          migrations,
          places: { dataDir, kv: join(dataDir, "kv.sqlite3"), blobs: join(dataDir, "blobs") },
          backUp: async (to) => {
            backups.push(to);
            await Deno.writeTextFile(to, "");
          },
          log: (message) => logged.push(message),
        }),
      format: async () => (await readFormatMark(dataDir))?.format,
    });
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
}

/** Creates a migration that writes a file to show that it has run. */
const step = (from: number): Migration => ({
  from,
  summary: `step ${from}`,
  run: ({ dataDir }) => Deno.writeTextFile(join(dataDir, "steps"), `${from} `, { append: true }),
});

Deno.test("settleFormat() marks a new directory with the program's format", async () => {
  await withDirectory(async ({ settle, format, backups }) => {
    await settle(3);
    assert.equal(await format(), 3);
    assert.deepEqual(backups, []);
  });
});

Deno.test("settleFormat() refuses a newer directory and does not change it", async () => {
  await withDirectory(async ({ dataDir, settle, format }) => {
    await writeFormatMark(dataDir, { format: 4, program: "4.5.6" });
    await assert.rejects(settle(3), (error: Error) => {
      assert.ok(error instanceof DataNewerError);
      assert.match(error.message, /svc 4\.5\.6 wrote it in format 4, .* reads format 3 and older/);
      return true;
    });
    assert.equal(await format(), 4);
  });
});

Deno.test("settleFormat() migrates step by step, after one backup", async () => {
  await withDirectory(async ({ dataDir, settle, format, backups, logged }) => {
    await Deno.writeTextFile(join(dataDir, "kv.sqlite3"), "");
    await settle(3, [step(2), step(1)]);
    assert.equal(await format(), 3);
    assert.equal(await Deno.readTextFile(join(dataDir, "steps")), "1 2 ");
    assert.deepEqual(backups, [join(dataDir, "before-format-3.tar")]);
    assert.match(logged[0]!, /^Created the backup .*before-format-3\.tar\. .* from format 1 to 3$/);
    await settle(3, []);
    assert.equal(backups.length, 1);
  });
});

/** Creates a migration that fails before it has done anything. */
const failing = (from: number): Migration => ({
  ...step(from),
  run: () => Promise.reject(new Error("power cut")),
});

Deno.test("settleFormat() continues an interrupted migration and keeps its backup", async () => {
  await withDirectory(async ({ dataDir, settle, backups }) => {
    await Deno.writeTextFile(join(dataDir, "kv.sqlite3"), "");
    await assert.rejects(settle(3, [step(1), failing(2)]), (error: Error) => {
      assert.ok(error instanceof DataNotMigratedError);
      assert.match(
        error.message,
        /to format 3: power cut\. .* restore .*before-format-3\.tar with svc restore/,
      );
      return true;
    });
    const migration = { from: 2, backup: "before-format-3.tar" };
    const mark = { format: 3, program: "3.0.0", migration };
    assert.deepEqual(await readFormatMark(dataDir), mark);
    await assert.rejects(settle(1), DataNewerError);
    await assert.rejects(settle(2), DataNewerError);
    // An even newer program must finish the interrupted step before it runs its own steps.
    await settle(4, [step(1), step(2), step(3)]);
    assert.deepEqual(await readFormatMark(dataDir), { format: 4, program: "4.0.0" });
    assert.equal(await Deno.readTextFile(join(dataDir, "steps")), "1 2 3 ");
    assert.equal(backups.length, 1);
  });
});

Deno.test("settleFormat() does not mistake an earlier backup for the current one", async () => {
  await withDirectory(async ({ dataDir, settle, backups }) => {
    await Deno.writeTextFile(join(dataDir, "kv.sqlite3"), "");
    await Deno.writeTextFile(join(dataDir, "before-format-2.tar"), "of last month");
    await settle(2, [step(1)]);
    assert.equal(backups.length, 1);
    assert.equal(await Deno.readTextFile(join(dataDir, "before-format-2.tar")), "");
  });
});

Deno.test("settleFormat() changes nothing if no backup can be created", async () => {
  await withDirectory(async ({ dataDir }) => {
    await Deno.writeTextFile(join(dataDir, "kv.sqlite3"), "");
    const options = {
      version: "2.0.0",
      format: 2,
      migrations: [step(1)],
      log: () => {},
      places: { dataDir, kv: join(dataDir, "kv.sqlite3"), blobs: join(dataDir, "blobs") },
      backUp: () => Promise.reject(new Error("no room")),
    };
    await assert.rejects(
      settleFormat(options),
      /cannot create a backup in it first: no room\. Nothing was/,
    );
    const remote = { ...options, places: { ...options.places, kv: "postgres://db/svc" } };
    await assert.rejects(settleFormat(remote), /its records are on another machine/);
    assert.deepEqual([...Deno.readDirSync(dataDir)].map(({ name }) => name), ["kv.sqlite3"]);
  });
});

Deno.test("requireFormat() refuses older data and an unfinished migration", async () => {
  await withDirectory(async ({ dataDir, settle }) => {
    await requireFormat(dataDir, 2);
    await Deno.writeTextFile(join(dataDir, "kv.sqlite3"), "");
    await requireFormat(dataDir, 1);
    await assert.rejects(requireFormat(dataDir, 2), /has format 1, but this .* format 2\. Start/);
    await assert.rejects(settle(2, [failing(1)]), DataNotMigratedError);
    await assert.rejects(requireFormat(dataDir, 2), DataNotMigratedError);
    await assert.rejects(requireFormat(dataDir, 1), DataNewerError);
    await settle(2, [step(1)]);
    await requireFormat(dataDir, 2);
  });
});

Deno.test("settleFormat() reports the path of an unreadable mark", async () => {
  await withDirectory(async ({ dataDir, settle }) => {
    await Deno.writeTextFile(join(dataDir, "format.json"), "{}");
    await assert.rejects(settle(1), /Cannot read .*format\.json, which stores the format/);
  });
});

Deno.test("settleFormat() refuses a partly restored directory and an unreadable mark", async () => {
  await withDirectory(async ({ dataDir, settle, format }) => {
    await markUnfinished(dataDir);
    await assert.rejects(settle(3), (error: Error) => {
      assert.ok(error instanceof DataIncompleteError);
      assert.match(error.message, /svc restore did not .*Delete the directory and restore/);
      return true;
    });
    assert.equal(await format(), undefined);
    await markFinished(dataDir);
    await Deno.writeTextFile(join(dataDir, "format.json"), "{");
    await assert.rejects(settle(3), DataIncompleteError);
  });
});
