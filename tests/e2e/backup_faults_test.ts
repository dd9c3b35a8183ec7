/** Tests backups that cannot be created or used because a disk is full or files are incomplete. */
import assert from "node:assert/strict";
import { packTar } from "modern-tar";
import { join } from "node:path";
import { copySite, type Sandbox, withSandbox } from "../helpers/sandbox.ts";
import { mountDisk } from "../helpers/small_disk.ts";

/** Size in bytes of a deployment that does not fit on the small disk. */
const LARGE_BYTES = 6 * 1024 * 1024;
const SMALL_DISK_MB = 4;

async function names(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
}

/** Runs a command that must fail, and returns the error message. */
async function refused(box: Sandbox, args: readonly string[]): Promise<string> {
  const { code, stdout } = await box.tool([...args, "--json"]);
  assert.equal(code, 1, stdout);
  const answer = JSON.parse(stdout);
  assert.equal(answer.code, "backup_unusable", stdout);
  return `${answer.error}. ${answer.hint ?? ""}`;
}

/** Creates a platform with one deployment, and a backup of the platform. */
async function withBackup(test: (box: Sandbox, file: string) => Promise<void>): Promise<void> {
  await withSandbox(async (box) => {
    await copySite("plain", box.site);
    const random = crypto.getRandomValues(new Uint8Array(65_536));
    await using large = await Deno.open(join(box.site, "large.bin"), { write: true, create: true });
    for (let size = 0; size < LARGE_BYTES; size += random.length) await large.write(random);
    await box.start();
    await box.json(["init", "--name", "kept", "--create"]);
    await box.json(["deploy", "--prod"]);
    const file = join(box.folder, "backup.tar");
    await box.json(["backup", file, "--data-dir", box.dataDir]);
    await test(box, file);
  });
}

/** Whether this user is allowed to mount an in-memory disk. */
async function canMount(): Promise<boolean> {
  const folder = await Deno.makeTempDir({ prefix: "svc-e2e-" });
  const disk = await mountDisk(folder);
  await disk?.[Symbol.asyncDispose]();
  await Deno.remove(folder);
  return disk !== undefined;
}

Deno.test({
  name: "svc backup and svc restore report a full disk and lose nothing",
  ignore: !await canMount(),
  fn: () => withBackup(fillDisks),
});

async function fillDisks(box: Sandbox, file: string): Promise<void> {
  const small = join(box.folder, "small");
  await using _disk = await mountDisk(small, SMALL_DISK_MB);
  const older = join(small, "backup.tar");
  await Deno.writeTextFile(older, "an older backup");
  const backup = ["backup", older, "--data-dir", box.dataDir, "--force"];
  assert.match(await refused(box, backup), /Cannot write .*backup\.tar: .*disk is full.*space/i);
  assert.equal(await Deno.readTextFile(older), "an older backup");
  assert.deepEqual(await names(small), ["backup.tar"]);
  const restore = ["restore", file, "--data-dir", join(small, "data")];
  assert.match(await refused(box, restore), /Cannot restore .* into .*: .*disk is full/i);
  assert.deepEqual(await names(small), ["backup.tar"]);
  assert.equal((await box.page("kept.localhost", "/")).status, 200);
  await box.json(["restore", file, "--data-dir", join(box.folder, "elsewhere")]);
}

/** Creates an empty backup from another version. */
async function empty(description: Readonly<Record<string, unknown>>): Promise<Uint8Array> {
  const texts = {
    "svc-backup.json": JSON.stringify({
      schemaVersion: "SVC_BACKUP_V1",
      format: 1,
      program: "9.0.0",
      createdAt: "2026-11-22T10:00:00.000Z",
      ...description,
    }),
    "digests.json": "{}",
  };
  return await packTar(
    Object.entries(texts).map(([name, body]) => ({ header: { name, size: body.length }, body })),
  );
}

/** Inverts one bit. */
function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = bytes.slice();
  copy[at]! ^= 1;
  return copy;
}

Deno.test("svc restore reports the problem in a file, its position and how to fix it", async () => {
  await withBackup(async (box, file) => {
    const whole = await Deno.readFile(file);
    const middle = Math.floor(whole.length / 2);
    const cases: readonly (readonly [name: string, bytes: Uint8Array, says: RegExp])[] = [
      ["cut", whole.subarray(0, middle), /it is truncated: use another/i],
      ["cut-early", whole.subarray(0, 100), /it is truncated: use another/i],
      ["empty", new Uint8Array(), /it is truncated: use another/i],
      ["no-end", whole.subarray(0, whole.length - 4096), /it is truncated: use another/i],
      ["tampered", flipped(whole, middle), /differs from the original.*use another/i],
      ["text", new TextEncoder().encode("hello ".repeat(1000)), /damaged, or not a backup/],
      ["newer-format", await empty({ format: 999 }), /format 999.*format 1.*svc 9\.0\.0/],
      ["newer-kind", await empty({ schemaVersion: "SVC_BACKUP_V2" }), /9\.0\.0/],
    ];
    for (const [name, bytes, says] of cases) {
      const from = join(box.folder, `${name}.tar`);
      await Deno.writeFile(from, bytes);
      const dataDir = join(box.folder, `from-${name}`);
      const message = await refused(box, ["restore", from, "--data-dir", dataDir]);
      assert.match(message, says, name);
      assert.ok(message.includes(from), message);
      await Deno.remove(from);
    }
    const left = (await names(box.folder)).filter((name) => name.startsWith("from-"));
    assert.deepEqual(left, []);
    const { code, stderr } = await box.tool(["restore", "sftp://svc@nas.example/backups"]);
    assert.deepEqual([code, /Use --from for a directory/.test(stderr)], [2, true], stderr);
  });
});
