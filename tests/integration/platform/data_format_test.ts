/**
 * Runs a program that has a second data directory format, kills it while it migrates, and fills the
 * disk. `KILL_ROUNDS` sets the number of rounds.
 */
// deno-lint-ignore-file no-console -- says why a test is skipped
import assert from "node:assert/strict";
import { join } from "node:path";
import { systemRandom } from "../../../src/lib/clock.ts";
import { readFormatMark } from "../../../src/lib/data_format.ts";
import { openKeyRing } from "../../../src/platform/core/secrets/mod.ts";
import { openDataDir } from "../../../src/platform/core/store/mod.ts";
import { BackupError, DataNewerError, makeBackup, restoreBackup } from "../../../src/serve/mod.ts";
import { createProject, deploy, start } from "../../helpers/platform.ts";
import { COUNT, formatFound, placesOf, settle, writeFirst } from "../../helpers/second_format.ts";
import { fill, mountDisk } from "../../helpers/small_disk.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";

const ROUNDS = Number(Deno.env.get("KILL_ROUNDS") ?? 1);
const PROGRAM = new URL("../../helpers/second_format.ts", import.meta.url).pathname;
const BACKUP = "before-format-2.tar";

/**
 * Creates a data directory in the first format, with a site and the data that the second format
 * changes.
 */
async function furnish(dataDir: string): Promise<void> {
  const platform = await start(dataDir);
  await createProject(platform, "shop");
  await deploy(platform, "shop", { files: { "index.html": "home" } });
  await platform.shutdown();
  await writeFirst(placesOf(dataDir));
}

/** Runs the program and kills it at line `killAt` of its output. Returns the lines. */
async function migrate(dataDir: string, { killAt = Infinity, extraBytes = 0 } = {}) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--unstable-kv", PROGRAM, dataDir, `${extraBytes}`],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines: string[] = [];
  let text = "";
  for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += piece;
    lines.splice(0, lines.length, ...text.split("\n").slice(0, -1));
    if (lines.length < killAt) continue;
    // Because of the pause, the program is killed in the middle of the next step.
    await new Promise((done) => setTimeout(done, Math.random() * 30));
    child.kill("SIGKILL");
    break;
  }
  const { code } = await child.status;
  return { code, lines };
}

/** Restores the backup from before the migration. */
async function checkBackup(file: string, to: string): Promise<void> {
  const { backup } = await restoreBackup({ from: file, dataDir: to });
  assert.equal(backup.format, 1);
  assert.equal(await formatFound(placesOf(to)), 1);
}

/** Runs this program's platform on a directory. */
async function serve(to: string): Promise<void> {
  const platform = await start(to);
  assert.equal((await platform.get("shop.localhost", "/")).text, "home");
  await platform.shutdown();
}

/**
 * Starts the older program, which must either serve the complete old state, or refuse to start and
 * say why.
 */
async function checkForOlder(dataDir: string, folder: string): Promise<void> {
  const refusal = await settle(dataDir, 1).then(() => undefined, (error) => error);
  if (refusal === undefined) return assert.equal(await formatFound(placesOf(dataDir)), 1);
  assert.ok(refusal instanceof DataNewerError, `${refusal}`);
  assert.match(refusal.message, /svc 2\.0\.0 wrote it in format 2/);
  const to = { to: join(folder, "now.tar"), version: "1.0.0", now: Date.now };
  await assert.rejects(makeBackup({ ...placesOf(dataDir), ...to }), BackupError);
  await checkBackup(join(dataDir, BACKUP), join(folder, crypto.randomUUID()));
}

async function copyFolder(from: string, to: string): Promise<void> {
  const { success } = await new Deno.Command("cp", { args: ["-a", from, to] }).output();
  assert.ok(success);
}

/**
 * Kills the program one or more times in a row. After that, a final run completes the migration.
 */
async function killRound(first: string, folder: string, lineCount: number): Promise<string[]> {
  const dataDir = join(folder, "data");
  await copyFolder(first, dataDir);
  const seen: string[] = [];
  for (let kill = 0; kill < 2; kill++) {
    const { lines } = await migrate(dataDir, { killAt: 1 + Math.floor(Math.random() * lineCount) });
    seen.push(lines.at(-1) ?? "");
    await checkForOlder(dataDir, folder);
  }
  const { code, lines } = await migrate(dataDir);
  assert.deepEqual([code, lines.at(-1)], [0, "done"], lines.join("\n"));
  assert.equal(await formatFound(placesOf(dataDir)), 2);
  assert.deepEqual(await readFormatMark(dataDir), { format: 2, program: "2.0.0" });
  await checkBackup(join(dataDir, BACKUP), join(folder, "restored"));
  await serve(join(folder, "restored"));
  const names = [...Deno.readDirSync(dataDir)].map(({ name }) => name);
  assert.deepEqual(names.filter((name) => /\.partial$/.test(name)), []);
  assert.deepEqual((await migrate(dataDir)).lines, ["started", "done"]);
  return seen;
}

Deno.test("kill -9 during a migration leaves either the old state or one that only newer versions accept", () =>
  inTestFolder(async (folder) => {
    const first = join(folder, "first");
    await furnish(first);
    const whole = join(folder, "whole");
    await copyFolder(first, whole);
    const { lines } = await migrate(whole);
    assert.equal(lines.filter((line) => line.startsWith("batch")).length, COUNT / 20);
    for (let round = 0; round < ROUNDS; round++) {
      const home = join(folder, `round${round}`);
      await Deno.mkdir(home);
      const killed = await killRound(first, home, lines.length);
      await Deno.remove(home, { recursive: true });
      if (Deno.env.has("KILL_ROUNDS")) console.log(`Killed after: ${killed.join(", ")}`);
    }
  }));

const DISK_MB = 8;

/** Runs a test on a directory in the first format on a separate disk. */
async function onSmallDisk(
  test: (dataDir: string, folder: string) => Promise<void>,
): Promise<void> {
  await inTestFolder(async (folder) => {
    const small = join(folder, "small");
    await using disk = await mountDisk(small, DISK_MB);
    if (disk === undefined) return console.log("Skipped: this user is not allowed to mount a disk");
    const { root, keys, release } = await openDataDir(join(small, "data"));
    release();
    await openKeyRing(keys, systemRandom);
    await writeFirst(placesOf(root));
    await test(root, folder);
  });
}

Deno.test("if the disk has no space for the backup, the old state remains, and the reason is reported", () =>
  onSmallDisk(async (dataDir) => {
    const ballast = join(dataDir, "..", "ballast");
    await fill(ballast);
    const { code, lines } = await migrate(dataDir);
    assert.equal(code, 1);
    assert.match(lines.at(-1)!, /svc cannot create a backup in it first: the disk is full\. Noth/);
    await settle(dataDir, 1);
    await Deno.remove(ballast);
    assert.equal(await formatFound(placesOf(dataDir)), 1);
    const names = [...Deno.readDirSync(dataDir)].map(({ name }) => name);
    assert.deepEqual(names.filter((name) => /before-format|\.tmp$/.test(name)), []);
  }));

Deno.test("a migration reports that the disk is full, and continues once there is space", () =>
  onSmallDisk(async (dataDir, folder) => {
    const { code, lines } = await migrate(dataDir, { extraBytes: 2 * DISK_MB * 1024 * 1024 });
    assert.equal(code, 1);
    assert.match(
      lines.at(-1)!,
      /Cannot finish the migration .*: the disk is full\. Fix this and start again/,
    );
    await checkForOlder(dataDir, folder);
    await Deno.remove(join(dataDir, "extra"));
    assert.equal((await migrate(dataDir)).code, 0);
    assert.equal(await formatFound(placesOf(dataDir)), 2);
    await checkBackup(join(dataDir, BACKUP), join(folder, "restored"));
  }));
