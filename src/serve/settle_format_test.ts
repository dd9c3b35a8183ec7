import assert from "node:assert/strict";
import { join } from "node:path";
import {
  markFinished,
  markUnfinished,
  readFormatMark,
  writeFormatMark,
} from "../lib/data_format.ts";
import { DataIncompleteError } from "../platform/core/store/mod.ts";
import { DataNewerError, type Migration, settleFormat } from "./settle_format.ts";

interface Scene {
  readonly dataDir: string;
  /** Files that backups were made in. */
  readonly backups: string[];
  readonly logged: string[];
  settle(format: number, migrations?: readonly Migration[]): Promise<void>;
  /** The format that the directory says it has. */
  format(): Promise<number | undefined>;
}

async function withDirectory(test: (scene: Scene) => Promise<void>): Promise<void> {
  const dataDir = await Deno.makeTempDir({ prefix: "svc-format-" });
  const backups: string[] = [];
  const logged: string[] = [];
  try {
    await test({
      ...{ dataDir, backups, logged },
      settle: (format, migrations = []) =>
        settleFormat({
          ...{ dataDir, version: `${format}.0.0`, format, migrations },
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

/** Notes in a file that it ran. */
const step = (from: number): Migration => ({
  from,
  summary: `step ${from}`,
  run: (dataDir) => Deno.writeTextFile(join(dataDir, "steps"), `${from} `, { append: true }),
});

Deno.test("settleFormat() marks a new directory with the program's format", async () => {
  await withDirectory(async ({ settle, format, backups }) => {
    await settle(3);
    assert.equal(await format(), 3);
    assert.deepEqual(backups, []);
  });
});

Deno.test("settleFormat() refuses a newer directory and leaves it as it is", async () => {
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
    assert.match(logged[0]!, /from format 1 to 3; .*before-format-3\.tar is a backup/);
    await settle(3, []);
    assert.equal(backups.length, 1);
  });
});

Deno.test("settleFormat() goes on with an interrupted migration, and keeps its backup", async () => {
  await withDirectory(async ({ dataDir, settle, format, backups }) => {
    await Deno.writeTextFile(join(dataDir, "kv.sqlite3"), "");
    const fails = { ...step(2), run: () => Promise.reject(new Error("power cut")) };
    await assert.rejects(settle(3, [step(1), fails]), /power cut/);
    assert.equal(await format(), 2);
    await settle(3, [step(1), step(2)]);
    assert.equal(await format(), 3);
    assert.equal(await Deno.readTextFile(join(dataDir, "steps")), "1 2 ");
    assert.equal(backups.length, 1);
  });
});

Deno.test("settleFormat() names a mark that cannot be read", async () => {
  await withDirectory(async ({ dataDir, settle }) => {
    await Deno.writeTextFile(join(dataDir, "format.json"), "{}");
    await assert.rejects(settle(1), /Cannot read .*format\.json, which says of what format/);
  });
});

Deno.test("settleFormat() refuses what a restore left half, and a mark that cannot be read", async () => {
  await withDirectory(async ({ dataDir, settle, format }) => {
    await markUnfinished(dataDir);
    await assert.rejects(settle(3), (error: Error) => {
      assert.ok(error instanceof DataIncompleteError);
      assert.match(error.message, /svc restore was ended .*Remove the directory, and restore/);
      return true;
    });
    assert.equal(await format(), undefined);
    await markFinished(dataDir);
    await Deno.writeTextFile(join(dataDir, "format.json"), "{");
    await assert.rejects(settle(3), DataIncompleteError);
  });
});
