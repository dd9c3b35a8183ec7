import assert from "node:assert/strict";
import { join } from "node:path";
import { openTestStorage } from "../../platform/core/s3/_test_storage.ts";
// @ts-types="./repository/_ssh2.d.ts"
import ssh2 from "ssh2";
import { inTestFolder } from "../../lib/_test_folder.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { DenoStore } from "../../store/mod.ts";
import { backUpToPlace, type PlaceBackupOptions } from "./back_up_to_place.ts";
import { HAS_SSHD, startSshd, startTestSftp } from "./repository/_test_sftp.ts";
import { openPlace } from "./repository/open_place.ts";
import { makeKeyPair } from "./repository/sealing.ts";
import { listPlace, restoreFromPlace } from "./restore_from_place.ts";

const WORKSPACE = "01997e7c-6a5b-7cc2-b7d0-2f8f6a1b9a11";
const KEYS = `{"version":1,"keys":[{"id":"00000000","key":"${"A".repeat(43)}="}]}`;
const START = Date.parse("2026-11-22T10:00:00Z");
const HOUR = 3_600_000;
const TEXT = "what no one may read";

/** Returns bytes that occur nowhere else. */
function bytesOf(seed: number, size: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length: size }, () => {
    state = Math.imul(state, 1664525) + 1013904223 | 0;
    return state >>> 24;
  });
}

async function addBlob(dataDir: string, content: Uint8Array): Promise<string> {
  const sha256 = sha256Hex(content);
  const folder = join(dataDir, "blobs", WORKSPACE, sha256.slice(0, 2));
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeFile(join(folder, sha256), content);
  return join("blobs", WORKSPACE, sha256.slice(0, 2), sha256);
}

interface Case {
  readonly root: string;
  readonly dataDir: string;
  readonly place: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Creates a backup an hour after the last one. */
  backUp(more?: Partial<PlaceBackupOptions>): ReturnType<typeof backUpToPlace>;
}

async function makeData(root: string): Promise<string> {
  const dataDir = join(root, "data");
  await Deno.mkdir(dataDir);
  await Deno.writeTextFile(join(dataDir, "keys.json"), KEYS);
  await addBlob(dataDir, new TextEncoder().encode(TEXT));
  const kv = await DenoStore.open(join(dataDir, "kv.sqlite3"));
  await kv.set(["a"], "b");
  kv.close();
  return dataDir;
}

type Kind = "folder" | "s3" | "sftp" | "sshd";

/** The functions that start a server, by the kind of backup location. */
const SERVERS: Readonly<
  Partial<Record<Kind, (root: string) => Promise<AsyncDisposable & Pick<Case, "place">>>>
> = { s3: openTestStorage, sftp: startTestSftp, sshd: startSshd };

async function inPlace(
  kind: Kind,
  test: (at: Case) => Promise<void>,
): Promise<void> {
  await inTestFolder(async (root) => {
    const dataDir = await makeData(root);
    await using server: AsyncDisposable & Partial<Case> | undefined = await SERVERS[kind]?.(root);
    const [place, env] = [server?.place ?? join(root, "backups"), server?.env ?? {}];
    let hours = 0;
    const backUp = (more: Partial<PlaceBackupOptions> = {}) =>
      backUpToPlace({
        dataDir,
        place,
        env,
        recipients: [],
        version: "1.2.3",
        now: () => START + hours++ * HOUR,
        signal: new AbortController().signal,
        ...more,
      });
    await test({ root, dataDir, place, env, backUp });
  });
}

for (const kind of ["folder", "s3", "sftp", "sshd"] as const) {
  for (const isEncrypted of [false, true]) {
    const how = `${kind}, ${isEncrypted ? "encrypted" : "plain"}`;
    const name = `backUpToPlace() sends new data, verifies and prunes (${how})`;
    Deno.test({ name, ignore: kind === "sshd" && !HAS_SSHD }, async () => {
      await inPlace(kind, async ({ root, dataDir, place, env, backUp }) => {
        const { identity, recipient } = await makeKeyPair();
        const identityFile = join(root, "secret.txt");
        await Deno.writeTextFile(identityFile, `# a comment\n${identity}\n`);
        const more = { recipients: isEncrypted ? [recipient] : [], keep: 2 };
        const first = await backUp(more);
        assert.equal(first.records, 1);
        assert.equal(first.blobs, 1);
        const large = await addBlob(dataDir, bytesOf(1, 16_000_000));
        const second = await backUp(more);
        assert.ok(second.sentBytes > 16_000_000);
        await addBlob(dataDir, bytesOf(2, 1000));
        const third = await backUp(more);
        // Only the parts at both ends of the large blob are sent again. Their sizes depend on the
        // location's secret.
        assert.ok(third.sentBytes < 12_000_000, `${third.sentBytes} bytes were sent again`);
        assert.deepEqual([second.removed, third.removed], [0, 1]);
        const { backups: listed } = await listPlace(place, env);
        assert.deepEqual(listed.map(({ name }) => name), [third.name, second.name]);
        assert.equal(listed[0]!.encrypted, isEncrypted);
        assert.equal(listed[0]!.check?.blobs, 3);
        for (const [at, blobs] of [[third.name, 3], [second.name, 2]] as const) {
          const restored = await restoreFromPlace({
            place,
            env,
            at,
            dataDir: join(root, `restored-${at}`),
            ...(isEncrypted ? { identityFile } : {}),
          });
          assert.equal(restored.verified.blobs, blobs);
          assert.deepEqual(
            await Deno.readFile(join(root, `restored-${at}`, large)),
            await Deno.readFile(join(dataDir, large)),
          );
        }
        if (kind === "folder") await assertHidden(place, isEncrypted);
      });
    });
  }
}

/**
 * Checks that the content and its hash are readable in the location only if the backup is not
 * encrypted.
 */
async function assertHidden(place: string, isEncrypted: boolean): Promise<void> {
  let all = "";
  const look = async (folder: string): Promise<void> => {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      if (isDirectory) await look(join(folder, name));
      else all += `${name}\n${await Deno.readTextFile(join(folder, name))}`;
    }
  };
  await look(place);
  assert.equal(all.includes(TEXT), !isEncrypted);
  assert.equal(all.includes(sha256Hex(TEXT)), !isEncrypted);
}

Deno.test("backUpToPlace() resends a part that is damaged or missing at its location", async () => {
  await inPlace("folder", async ({ dataDir, place, backUp }) => {
    await addBlob(dataDir, bytesOf(3, 3_000_000));
    await backUp();
    const parts = join(place, "parts");
    const paths: string[] = [];
    for await (const { name } of Deno.readDir(parts)) {
      for await (const { name: part } of Deno.readDir(join(parts, name))) {
        paths.push(join(parts, name, part));
      }
    }
    for (const path of paths) await Deno.writeTextFile(path, "damaged");
    const second = await backUp();
    assert.ok(second.sentBytes > 3_000_000);
    assert.equal(second.blobs, 2);
  });
});

Deno.test("backUpToPlace() keeps all parts of kept backups and counts only verified backups", async () => {
  await inPlace("folder", async ({ root, place, backUp }) => {
    const first = await backUp({ keep: 1 });
    const manifest = join(place, "backups", `${first.name}.json`);
    // A newer backup that was never verified. Its process was killed before the verification.
    const newer = "2026-11-22T23-00-00Z";
    await Deno.copyFile(manifest, join(place, "backups", `${newer}.json`));
    await Deno.mkdir(join(place, "parts", "ff"), { recursive: true });
    await Deno.writeTextFile(
      join(place, "parts", "ff", "ff".repeat(32)),
      "left by a killed backup",
    );
    const second = await backUp({ keep: 2, now: () => START + HOUR });
    const names = (await listPlace(place, {})).backups.map(({ name }) => name);
    // The clock was set back, but the newer backup still has a later name.
    assert.deepEqual(names, ["2026-11-22T23-00-01Z", newer, first.name]);
    assert.equal(second.name, names[0]);
    await assert.rejects(Deno.stat(join(place, "parts", "ff", "ff".repeat(32))));
    for (const at of names) {
      const dataDir = join(root, at);
      assert.equal((await restoreFromPlace({ place, env: {}, at, dataDir })).verified.records, 1);
    }
  });
});

Deno.test("backUpToPlace() and restoreFromPlace() give advice for each failure", async () => {
  await inPlace("folder", async ({ root, place, backUp }) => {
    const { identity, recipient } = await makeKeyPair();
    const other = await makeKeyPair();
    const otherFile = join(root, "other.txt");
    await Deno.writeTextFile(otherFile, other.identity);
    await backUp({ recipients: [recipient] });
    const dataDir = join(root, "restored");
    const restore = (identityFile?: string) =>
      restoreFromPlace({ place, env: {}, dataDir, ...(identityFile && { identityFile }) });
    await assert.rejects(restore(), /encrypted to age1/);
    await assert.rejects(restore(otherFile), /encrypted to a different key/);
    await assert.rejects(restore(join(root, "missing")), /does not exist/);
    await assert.rejects(backUp({ recipients: [identity] }), /use its public key/);
    await assert.rejects(backUp({ recipients: ["age1pq1xyz"] }), /not an age public key/);
    await assert.rejects(backUp({ place: join(root, "no", "backups") }), /there is no folder/);
    await assert.rejects(Deno.stat(dataDir));
    await Deno.mkdir(join(place, "running"), { recursive: true });
    const mark = { machine: "another", pid: 1, renewedAt: Date.now() };
    await Deno.writeTextFile(join(place, "running", "x.json"), JSON.stringify(mark));
    await assert.rejects(backUp(), /another backup is writing to it/);
    const gone = { ...mark, renewedAt: Date.now() - HOUR };
    await Deno.writeTextFile(join(place, "running", "x.json"), JSON.stringify(gone));
    await backUp();
  });
  await inPlace("s3", async ({ place, env, backUp }) => {
    const gone = place.replace("svc-test", "svc-gone");
    await assert.rejects(backUp({ place: gone }), (error: Error & { hint?: string }) => {
      assert.match(error.message, /Cannot use bucket .* NoSuchBucket/);
      assert.match(error.hint!, /Create the bucket/);
      return true;
    });
    const wrong = { ...env, AWS_ACCESS_KEY_ID: "unknown", AWS_SECRET_ACCESS_KEY: "a-wrong-secret" };
    await assert.rejects(backUp({ env: wrong }), (error: Error & { hint?: string }) => {
      assert.match(error.hint!, /AWS_SECRET_ACCESS_KEY/);
      assert.doesNotMatch(`${error.message}${error.hint}`, /a-wrong-secret/);
      return true;
    });
  });
});

Deno.test("backUpToPlace() trusts one host key of an SFTP server and reports problems", async () => {
  await inPlace("sftp", async ({ root, place, backUp }) => {
    const other = place.replace(/host-key=SHA256%3A(?:%..|.){4}/, "host-key=SHA256%3AAAAA");
    const cases: readonly [place: string, wanted: RegExp][] = [
      [other, /its host key is SHA256:\S+, not SHA256:AAAA/],
      [place.replace(/host-key=[^&]*&/, ""), /host-key must be the SHA256 fingerprint/],
      [place.replace(/&?key-file=[^&]*/, ""), /must look like sftp:\/\/user@host/],
      [place.replace("svc@", "svc:secret@"), /must look like sftp:\/\/user@host/],
      [place.replace("user_key", "no_key"), /Cannot use sftp:\/\/svc@.*No such file/],
      [place.replace("/kept?", "/none/kept?"), /there is no folder .*\/none/],
    ];
    for (const [wrong, wanted] of cases) {
      await assert.rejects(backUp({ place: wrong }), (error: Error) => {
        assert.match(error.message, wanted);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      });
    }
    const key = join(root, "user_key");
    await Deno.writeTextFile(key, ssh2.utils.generateKeyPairSync("ed25519").private);
    await assert.rejects(backUp(), /authentication methods failed/);
  });
});

Deno.test("backUpToPlace() creates a private folder and removes unfinished files", async () => {
  await inPlace("folder", async ({ place, backUp }) => {
    await backUp({ keep: 1 });
    assert.equal((await Deno.stat(place)).mode! & 0o777, 0o700);
    const left = [join(place, "parts", "aa", "aa.1.tmp"), join(place, "backups", "b.json.1.tmp")];
    for (const path of left) {
      await Deno.mkdir(join(path, ".."), { recursive: true });
      await Deno.writeTextFile(path, "part of a part");
    }
    await backUp({ keep: 1 });
    for (const path of left) await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
  });
});

Deno.test("a damaged manifest does not hide other backups, and no parts are removed", async () => {
  await inPlace("folder", async ({ root, dataDir, place, backUp }) => {
    const first = await backUp();
    const manifest = join(place, "backups", `${first.name}.json`);
    const whole = await Deno.readTextFile(manifest);
    await Deno.writeTextFile(manifest, whole.slice(0, 100));
    await Deno.remove(join(dataDir, await addBlob(dataDir, bytesOf(5, 10))));
    await assert.rejects(
      backUp({ keep: 2 }),
      new RegExp(`older ones cannot be removed: .*${first.name}.*manifest is damaged`),
    );
    const { backups, problems } = await listPlace(place, {});
    assert.equal(backups.length, 1);
    assert.match(problems.join(), new RegExp(`Cannot read the backup ${first.name}`));
    await Deno.writeTextFile(manifest, whole);
    await restoreFromPlace({ place, env: {}, at: first.name, dataDir: join(root, "restored") });
  });
});

Deno.test("backUpToPlace() stops if a check would fill the platform's disk", async () => {
  await inPlace("folder", async ({ dataDir, place, backUp }) => {
    const freeBytes = () => Promise.resolve(1000);
    await assert.rejects(backUp({ freeBytes, keep: 1 }), /has 1000 B free, but a check needs/);
    const { backups: [stored] } = await listPlace(place, {});
    assert.equal(stored!.check, null);
    await assert.rejects(Deno.stat(join(dataDir, "backup.partial")), Deno.errors.NotFound);
  });
});

Deno.test("openPlace() does not write to the mount point of a disk that was unmounted", async () => {
  await inTestFolder(async (root) => {
    const place = await openPlace(join(root, "disk"), {});
    await place.put("parts/aa/aa", new Uint8Array(1));
    await Deno.rename(join(root, "disk"), join(root, "unmounted"));
    await assert.rejects(place.put("parts/aa/bb", new Uint8Array(1)), /removed or unmounted/);
    await assert.rejects(Deno.stat(join(root, "disk")), Deno.errors.NotFound);
    place.close();
  });
});
