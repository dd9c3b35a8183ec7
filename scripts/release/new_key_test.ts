import assert from "node:assert/strict";
import { join } from "node:path";
import { isSigned, sign } from "../../src/release/mod.ts";
import { hear } from "../_process.ts";
import { makeSigningKey } from "./new_key.ts";
import { inTestFolder } from "../../src/lib/_test_folder.ts";

Deno.test("makeSigningKey() creates a signing key once, readable only by its owner", async () => {
  await inTestFolder(async (folder) => {
    const path = join(folder, "release.pem");
    const publicKey = await makeSigningKey(path);
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
    const [bytes, pem] = [new TextEncoder().encode("release"), await Deno.readTextFile(path)];
    assert.ok(
      await isSigned(bytes, await sign(bytes, pem), ["AAAA".repeat(10) + "AAA=", publicKey]),
    );
    const { code, stdout } = await hear(["openssl", "pkey", "-in", path, "-text", "-noout"]);
    assert.equal(code, 0);
    assert.match(stdout, /ED25519/);
    await assert.rejects(makeSigningKey(path), Deno.errors.AlreadyExists);
    assert.equal(await Deno.readTextFile(path), pem);
  });
});
