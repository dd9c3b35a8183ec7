import assert from "node:assert/strict";
import { sealCertificate, SealKey } from "./certificate_seal.ts";

const PAIR = { cert: "-----BEGIN CERTIFICATE-----\nä", key: "-----BEGIN PRIVATE KEY-----\nsecret" };

Deno.test("a sealed certificate opens only if it is unchanged, and only in one process for one host", async () => {
  const [own, other] = [await SealKey.create(), await SealKey.create()];
  const of = { hostname: "shop.example", to: own.publicKey };
  const sealed = await sealCertificate(PAIR, of);
  assert.deepEqual(await own.open(sealed, "shop.example"), PAIR);
  assert.ok(!atob(sealed.sealed).includes("PRIVATE"));
  assert.notDeepEqual(await sealCertificate(PAIR, of), sealed);
  await assert.rejects(other.open(sealed, "shop.example"));
  await assert.rejects(own.open(sealed, "other.example"));
  const bytes = Uint8Array.fromBase64(sealed.sealed);
  bytes[0]! ^= 1;
  await assert.rejects(own.open({ ...sealed, sealed: bytes.toBase64() }, "shop.example"));
});
