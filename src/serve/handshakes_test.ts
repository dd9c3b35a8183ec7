import assert from "node:assert/strict";
import { connect } from "node:tls";
import { makeKeyPair } from "../lib/_test_certificate.ts";
import { openListeners } from "./listeners.ts";
import { DEFAULTS } from "../settings/mod.ts";

const NAME = "site.test";
/**
 * Number of requests to serve while handshakes wait. If handshakes did not wait, this would be
 * enough time to reject them.
 */
const MEANWHILE = 20;

/** Returns the name in the certificate that a handshake presents, or the failure. */
function namePresented(port: number): Promise<string> {
  return new Promise((resolve) => {
    const given = { host: "127.0.0.1", port, servername: NAME, rejectUnauthorized: false };
    const socket = connect(given, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on("error", () => resolve("failed"));
  });
}

Deno.test("handshakes wait for the platform", async () => {
  const pair = await makeKeyPair(NAME);
  const listeners = await openListeners({
    host: "127.0.0.1",
    port: 0,
    httpsPort: 0,
    connections: DEFAULTS.connections,
    trustProxy: [],
    tls: undefined,
    ordersCertificates: true,
    takesOver: false,
  }, () => {});
  try {
    const early = Array.from({ length: 8 }, () => namePresented(listeners.httpsPort!));
    for (let number = 0; number < MEANWHILE; number++) {
      const answer = await fetch(`http://127.0.0.1:${listeners.port}/healthz`);
      assert.equal(await answer.text(), "ok\n");
    }
    const refuse = () => new Response(null, { status: 503 });
    const find = (hostname: string) => hostname === NAME ? pair : undefined;
    listeners.open({ http: refuse, https: refuse, own: refuse }, { find });
    assert.deepEqual(await Promise.all(early), early.map(() => NAME));
    assert.equal(await namePresented(listeners.httpsPort!), NAME);
  } finally {
    await listeners.close();
  }
});
