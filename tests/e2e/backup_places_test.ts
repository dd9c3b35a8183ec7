/**
 * Tests scheduled backups as an operator would set them up: encrypted, in object storage, and each
 * verified by restoring it. Also tests the notifications that the owner receives about failures.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { openTestStorage } from "../../src/platform/core/s3/_test_storage.ts";
import { sha256Hex } from "../../src/lib/hash.ts";
import { until } from "../../src/lib/_test_until.ts";
import { programCommand, startTool } from "../../scripts/_program.ts";
import { callApi, copySite, type Sandbox, withSandbox } from "../helpers/sandbox.ts";

/** The first check takes place 5 s after the start, and this machine may be busy. */
const PATIENCE_MS = 120_000;

interface Point {
  readonly name: string;
  readonly state: string;
  readonly found: string;
  readonly advice?: string;
}

const status = (box: Sandbox) => callApi(box, "GET", "/v1/backups");

async function doctorSays(box: Sandbox): Promise<Point> {
  const { stdout } = await box.tool(["doctor", "--json", "--data-dir", box.dataDir]);
  const { points } = JSON.parse(stdout) as { readonly points: readonly Point[] };
  return points.find(({ name }) => name === "backups")!;
}

async function makeContent(box: Sandbox): Promise<void> {
  await copySite("plain", box.site);
  const platform = await box.start();
  await box.json(["init", "--name", "kept", "--create"]);
  await box.json(["deploy", "--prod"]);
  await box.json(["db", "create", "main", "--wait"]);
  const sql = "CREATE TABLE boats (name text); INSERT INTO boats VALUES ('Kestrel'), ('Heron')";
  await box.json(["db", "query", sql]);
  assert.equal((await status(box)).place, null);
  await platform.stop();
}

Deno.test("svc serve --backup stores verified, encrypted backups, and svc restore accepts them", async () => {
  await using storage = await openTestStorage();
  await withSandbox(async (box) => {
    Object.assign(box.env, storage.env);
    const key = join(box.folder, "backup.key");
    const { recipient } = await box.json(["backup", "--keygen", key]);
    await makeContent(box);
    const flags = ["--backup", storage.place, "--backup-recipient", String(recipient)];
    const platform = await box.start([...flags, "--backup-every", "1h", "--keep", "2"]);
    const { last, encrypted, place } = await until(
      () => status(box),
      ({ last, failure }) => last !== null || failure !== null,
      PATIENCE_MS,
    );
    assert.ok(last !== null, JSON.stringify(await status(box)));
    assert.deepEqual([encrypted, place], [true, storage.place]);
    assert.deepEqual(last.databases, { count: 1, tables: 1, rows: 2 });
    assert.ok(last.records > 10 && last.blobs > 0);
    const point = await doctorSays(box);
    assert.equal(point.state, "ok");
    assert.match(
      point.found,
      /was verified by restoring it: .* records?, .* 1 database with 2 rows/,
    );

    const again = await box.json([
      "backup",
      storage.place,
      "--recipient",
      String(recipient),
      "--data-dir",
      box.dataDir,
    ]);
    assert.ok(
      Number(again.sentBytes) < Number(again.bytes) / 2,
      "most blobs are already in the backup",
    );
    const from = ["restore", "--from", storage.place];
    const { backups } = await box.json([...from, "--list"]);
    const names = (backups as readonly { readonly name: string }[]).map(({ name }) => name);
    assert.deepEqual(names, [again.name, last.name]);
    const elsewhere = join(box.folder, "elsewhere", "data");
    const refused = await box.tool([...from, "--data-dir", elsewhere, "--json"]);
    assert.match(JSON.parse(refused.stdout).error, /it is encrypted to age1/);
    await box.json([...from, "--at", last.name, "--identity", key, "--data-dir", elsewhere]);
    await platform.stop();
    await failElsewhere(box, elsewhere, storage.place);
  });
});

/**
 * Checks that the restored platform has all data. This platform's own backups go to a bucket that
 * does not exist.
 */
async function failElsewhere(box: Sandbox, dataDir: string, place: string): Promise<void> {
  const gone = place.replace("svc-test", "svc-gone");
  const platform = await box.start(["--data-dir", dataDir, "--backup", gone]);
  assert.equal((await box.page("kept.localhost", "/")).status, 200);
  const { results } = await box.json(["db", "query", "SELECT name FROM boats ORDER BY 1"]);
  assert.match(JSON.stringify(results), /Heron.*Kestrel/);
  const { failure } = await until(
    () => status(box),
    ({ failure }) => failure !== null,
    PATIENCE_MS,
  );
  assert.match(failure.message, /NoSuchBucket/);
  assert.match(failure.hint, /Create the bucket/);
  const point = await doctorSays(box);
  assert.equal(point.state, "fail");
  assert.match(point.found, /failed since .* \(no verified backup yet\)/);
  const inbox = await until(
    () => callApi(box, "GET", "/v1/notifications"),
    ({ items }) => items.some(({ event }: { event: string }) => event === "health.backup_failed"),
  );
  assert.doesNotMatch(JSON.stringify([inbox, failure]), /S3RVER/);
  await platform.stop();
}

/**
 * Waits until a process that writes to the location has locked the location, and returns the lock.
 */
async function whenHeld(place: string): Promise<{ readonly pid: number }> {
  const [mark] = await until(
    () => marksIn(place).catch(() => []),
    (marks) => marks.length > 0,
    PATIENCE_MS,
  );
  return JSON.parse(await Deno.readTextFile(join(place, "running", mark!)));
}

async function marksIn(place: string): Promise<readonly string[]> {
  const found = await Array.fromAsync(Deno.readDir(join(place, "running")));
  return found.map(({ name }) => name).filter((name) => name.endsWith(".json"));
}

Deno.test("stopping during a backup releases the lock and reports no failure", async () => {
  await withSandbox(async (box) => {
    await (await box.start()).stop();
    // The data is large enough for the backup to take longer than the platform needs to stop.
    await addBlob(box.dataDir, randomBytes(40_000_000));
    const place = join(box.folder, "backups");
    const platform = await box.start(["--backup", `${place}/`]);
    const { pid } = await whenHeld(place);
    // Sends the signal to all processes, as a service manager does.
    Deno.kill(pid, "SIGTERM");
    await platform.stop();
    assert.deepEqual(await marksIn(place), []);

    const args = ["backup", `${place}/`, "--data-dir", box.dataDir];
    const command = startTool(args, { cwd: box.site, env: box.env });
    await whenHeld(place);
    Deno.kill(command.pid, "SIGINT");
    assert.equal((await command.result).code, 130);
    assert.deepEqual(await marksIn(place), []);

    const again = await box.start();
    const { last, failure, runningSince } = await status(box);
    assert.deepEqual([last, failure, runningSince], [null, null, null]);
    const { items } = await callApi(box, "GET", "/v1/notifications");
    assert.doesNotMatch(JSON.stringify(items), /health\.backup/);
    await again.stop();
  });
});

/** Number of backups to kill. */
const ROUNDS = Number(Deno.env.get("SVC_BACKUP_ROUNDS") ?? 2);
/** Maximum time from a backup's start until the backup is killed, in milliseconds. */
const MOST_PAUSE_MS = 4000;
const KEEP = 2;

async function addBlob(dataDir: string, content: Uint8Array): Promise<void> {
  const sha256 = sha256Hex(content);
  const workspace = "01997e7c-6a5b-7cc2-b7d0-2f8f6a1b9a11";
  const folder = join(dataDir, "blobs", workspace, sha256.slice(0, 2));
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeFile(join(folder, sha256), content);
}

Deno.test("svc backup loses no acknowledged backup, no matter when it is killed", async () => {
  await withSandbox(async (box) => {
    await (await box.start()).stop();
    const place = join(box.folder, "backups");
    const args = ["backup", `${place}/`, "--data-dir", box.dataDir, "--keep", String(KEEP)];
    const acknowledged: { readonly name: string; readonly blobs: number }[] = [];
    const acknowledge = async () => {
      const { name, blobs } = await box.json(args);
      acknowledged.push({ name: String(name), blobs: Number(blobs) });
    };
    for (let round = 1; round <= ROUNDS; round++) {
      await addBlob(box.dataDir, new Uint8Array(2_000_000).map((_, at) => at * round >>> 3));
      const [program = "", ...rest] = programCommand();
      const child = new Deno.Command(program, {
        args: [...rest, ...args],
        cwd: box.site,
        env: box.env,
        clearEnv: true,
        stdout: "null",
        stderr: "null",
      }).spawn();
      const timer = setTimeout(() => child.kill("SIGKILL"), Math.random() * MOST_PAUSE_MS);
      await child.status.finally(() => clearTimeout(timer));
      await acknowledge();
      const { backups } = await box.json(["restore", "--from", place, "--list"]);
      const listed = (backups as readonly { readonly name: string; readonly check: unknown }[])
        .filter(({ check }) => check !== null).map(({ name }) => name);
      assert.ok(listed.includes(acknowledged.at(-1)!.name));
      assert.ok(listed.length <= KEEP);
      for (const name of listed) {
        const to = join(box.folder, `restored-${round}-${name}`);
        await box.json(["restore", "--from", place, "--at", name, "--data-dir", to]);
        const known = acknowledged.find((each) => each.name === name);
        if (known !== undefined) assert.equal(await countBlobs(to), known.blobs);
        await Deno.remove(to, { recursive: true });
      }
    }
  });
});

async function countBlobs(folder: string): Promise<number> {
  let count = 0;
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) count += await countBlobs(join(folder, name));
    else if (/^[0-9a-f]{64}$/.test(name)) count++;
  }
  return count;
}
