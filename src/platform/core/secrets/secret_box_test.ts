import assert from "node:assert/strict";
import { join } from "node:path";
import { systemRandom } from "../../../lib/clock.ts";
import { addKey, forgetOldKeys, KeyFileError, openKeyRing } from "./key_ring.ts";
import { SecretBox, SecretDamagedError } from "./secret_box.ts";
import { inTestFolder } from "../../../lib/_test_folder.ts";

async function withKeyFile(run: (path: string) => Promise<void>) {
  await inTestFolder(async (folder) => {
    await run(join(folder, "keys.json"));
  });
}

const openBox = async (path: string) =>
  new SecretBox(await openKeyRing(path, systemRandom), systemRandom);

Deno.test("SecretBox opens values that it has sealed, even after a restart", () =>
  withKeyFile(async (path) => {
    const sealed = await (await openBox(path)).seal("hunter2", "variable/a");
    assert.ok(!new TextDecoder("latin1").decode(sealed.data).includes("hunter2"));
    assert.equal(await (await openBox(path)).open(sealed, "variable/a"), "hunter2");
  }));

Deno.test("SecretBox never seals a value the same way twice", () =>
  withKeyFile(async (path) => {
    const box = await openBox(path);
    const [one, two] = [await box.seal("x", "p"), await box.seal("x", "p")];
    assert.notDeepEqual(one.data, two.data);
  }));

Deno.test("SecretBox.open() refuses a different position, changed bytes and a different key", () =>
  withKeyFile(async (path) => {
    const box = await openBox(path);
    const sealed = await box.seal("hunter2", "variable/a");
    await assert.rejects(box.open(sealed, "variable/b"), SecretDamagedError);
    const data = Uint8Array.from(sealed.data);
    data[0]! ^= 1;
    await assert.rejects(box.open({ ...sealed, data }, "variable/a"), SecretDamagedError);
    const other = { ...sealed, keyId: "00000000" };
    await assert.rejects(box.open(other, "variable/a"), SecretDamagedError);
  }));

Deno.test("a key file is readable only by its owner", () =>
  withKeyFile(async (path) => {
    await openBox(path);
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
  }));

Deno.test("addKey() keeps old secrets readable until forgetOldKeys()", () =>
  withKeyFile(async (path) => {
    const sealed = await (await openBox(path)).seal("hunter2", "p");
    const box = new SecretBox(await addKey(path, systemRandom), systemRandom);
    assert.equal(box.isCurrent(sealed), false);
    const again = await box.seal(await box.open(sealed, "p"), "p");
    assert.equal(box.isCurrent(again), true);
    await forgetOldKeys(path);
    const after = await openBox(path);
    assert.equal(await after.open(again, "p"), "hunter2");
    await assert.rejects(after.open(sealed, "p"), SecretDamagedError);
  }));

Deno.test("openKeyRing() refuses a damaged file and does not change it", () =>
  withKeyFile(async (path) => {
    await Deno.writeTextFile(path, "{}");
    await assert.rejects(openKeyRing(path, systemRandom), KeyFileError);
    assert.equal(await Deno.readTextFile(path), "{}");
  }));
