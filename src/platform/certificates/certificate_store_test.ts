import assert from "node:assert/strict";
import { join } from "node:path";
import { systemRandom } from "../../lib/clock.ts";
import { addKey, forgetOldKeys, openKeyRing } from "../core/secrets/key_ring.ts";
import { SecretBox } from "../core/secrets/secret_box.ts";
import { CertificateStore } from "./certificate_store.ts";
import { DenoStore, type RecordStore } from "../../store/mod.ts";

const DIRECTORY = "https://ca.test/dir";

async function withStore(
  run: (kv: RecordStore, keyFile: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-cert-" });
  const kv = await DenoStore.open(":memory:");
  try {
    await run(kv, join(folder, "keys.json"));
  } finally {
    kv.close();
    await Deno.remove(folder, { recursive: true });
  }
}

async function openStore(kv: RecordStore, keyFile: string): Promise<CertificateStore> {
  return new CertificateStore(
    kv,
    new SecretBox(await openKeyRing(keyFile, systemRandom), systemRandom),
  );
}

async function putPair(store: CertificateStore): Promise<void> {
  await store.put({
    hostname: "shop.example",
    issued: {
      chain: "chain",
      key: await store.seal("shop.example", "private"),
      notBefore: 0,
      notAfter: 1,
    },
    failures: 0,
    error: null,
    dueAt: 0,
  });
}

const readPairs = async (store: CertificateStore) => {
  const pairs = [];
  for await (const record of store.all()) pairs.push(await store.open(record));
  return pairs;
};

Deno.test("CertificateStore.accountKey() creates one key per authority", () =>
  withStore(async (kv, keyFile) => {
    const store = await openStore(kv, keyFile);
    let made = 0;
    const make = () => Promise.resolve(`key ${++made}`);
    assert.equal(await store.accountKey(DIRECTORY, make), "key 1");
    assert.equal(await store.accountKey(DIRECTORY, make), "key 1");
    assert.equal(await store.accountKey("https://other.test/dir", make), "key 2");
  }));

Deno.test("CertificateStore.reseal() keeps all keys readable after the old key is deleted", () =>
  withStore(async (kv, keyFile) => {
    const before = await openStore(kv, keyFile);
    await putPair(before);
    await before.accountKey(DIRECTORY, () => Promise.resolve("account"));
    const box = new SecretBox(await addKey(keyFile, systemRandom), systemRandom);
    const store = new CertificateStore(kv, box);
    assert.equal(await store.reseal(), 2);
    assert.equal(await store.reseal(), 0);
    await forgetOldKeys(keyFile);
    const after = await openStore(kv, keyFile);
    assert.deepEqual(await readPairs(after), [{ cert: "chain", key: "private" }]);
    const none = () => Promise.reject(new Error("must not be created again"));
    assert.equal(await after.accountKey(DIRECTORY, none), "account");
  }));

Deno.test("a private key that was moved to another hostname cannot be opened", () =>
  withStore(async (kv, keyFile) => {
    const store = await openStore(kv, keyFile);
    await putPair(store);
    for await (const record of store.all()) {
      await assert.rejects(store.open({ ...record, hostname: "evil.example" }), /it was changed/);
    }
  }));
