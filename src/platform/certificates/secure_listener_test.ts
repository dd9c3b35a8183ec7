import assert from "node:assert/strict";
import { join } from "node:path";
import { connect } from "node:tls";
import { makeKeyPair } from "../../lib/_test_certificate.ts";
import { testAcceptor } from "../core/listener/_test_acceptor.ts";
import { openSecureListener } from "./secure_listener.ts";

async function writePair(folder: string, name: string) {
  const files = { certFile: join(folder, "cert.pem"), keyFile: join(folder, "key.pem") };
  const { cert, key } = await makeKeyPair(name);
  await Deno.writeTextFile(files.certFile, cert);
  await Deno.writeTextFile(files.keyFile, key);
  return files;
}

/** Returns the name in the certificate from a handshake. */
function namePresented(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on("error", () => resolve(""));
  });
}

Deno.test("openSecureListener() loads changed certificate files if they are valid", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-secure-" });
  const files = await writePair(folder, "one.test");
  const seen = { damaged: Promise.withResolvers<void>(), fresh: Promise.withResolvers<void>() };
  const { acceptor, serve } = testAcceptor();
  const listener = await openSecureListener({
    hostname: "127.0.0.1",
    port: 0,
    serve,
    files,
    ordered: undefined,
    now: () => Date.now(),
    intervalMs: 5,
    log: ({ level }) => (level === "warn" ? seen.damaged : seen.fresh).resolve(),
  });
  try {
    assert.equal(await namePresented(listener.port), "one.test");
    await Deno.writeTextFile(files.certFile, "half a cert");
    await seen.damaged.promise;
    assert.equal(await namePresented(listener.port), "one.test");
    await writePair(folder, "two.test");
    await seen.fresh.promise;
    let name = "";
    for (let attempt = 0; attempt < 200 && name !== "two.test"; attempt++) {
      name = await namePresented(listener.port);
    }
    assert.equal(name, "two.test");
  } finally {
    await listener.close();
    await acceptor.drain(1000);
    await Deno.remove(folder, { recursive: true });
  }
});
