import assert from "node:assert/strict";
import { connect } from "node:tls";
import { makeKeyPair } from "../../lib/_test_certificate.ts";
import { until } from "../../lib/_test_until.ts";
import { createLoopbackAcceptor } from "../../platform/core/listener/mod.ts";
import { type KeyPair, openSecureListener } from "../../platform/certificates/mod.ts";
import { sealCertificate } from "../../platform/edges/mod.ts";
import { EdgeCertificates } from "./edge_certificates.ts";
import { EdgeKeyError } from "./platform_client.ts";

const HOSTS = ["shop.example", "blog.example"];
const [ONE, TWO, OTHER] = await Promise.all(
  ["one", "two", "other"].map((name) => makeKeyPair(name)),
) as [KeyPair, KeyPair, KeyPair];

/** Returns the name in the certificate that a host presents, or "" if the handshake is rejected. */
function presented(port: number, servername: string): Promise<string> {
  return new Promise((resolve) => {
    const options = { host: "127.0.0.1", port, servername, rejectUnauthorized: false };
    const socket = connect(options, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on("error", () => resolve(""));
  });
}

/**
 * Opens an edge that listens for HTTPS, and a platform that can be unreachable or reject the edge's
 * key.
 */
async function openEdge() {
  const platform = {
    pairs: new Map(HOSTS.map((host) => [host, ONE])),
    state: "there" as "there" | "away" | "refusing",
    asked: [] as string[],
    troubles: [] as string[],
    /** Called during a read. */
    onRead: () => Promise.resolve(),
  };
  const certificates = new EdgeCertificates({
    client: {
      async read(path, schema) {
        const { pathname, searchParams } = new URL(path, "http://platform/");
        const hostname = decodeURIComponent(pathname.split("/").at(-1)!);
        platform.asked.push(hostname);
        if (platform.state === "away") throw new Error("away");
        if (platform.state === "refusing") throw new EdgeKeyError("refused");
        const pair = platform.pairs.get(hostname);
        await platform.onRead();
        if (pair === undefined) return undefined;
        const to = Uint8Array.fromHex(searchParams.get("key")!);
        return schema.parse(await sealCertificate(pair, { hostname, to }));
      },
    },
    isHost: (hostname) => HOSTS.includes(hostname),
    retryMs: 20,
    onTrouble: (message) => void platform.troubles.push(message),
  });
  const acceptor = createLoopbackAcceptor("Handshakes", () => {});
  const listener = await openSecureListener({
    hostname: "127.0.0.1",
    port: 0,
    serve: (listener, closed) =>
      acceptor.serve({ listener, closed, handler: () => new Response("") }),
    ordered: () => certificates,
    now: () => Date.now(),
    log: () => {},
  });
  certificates.onChanged = (names) => listener.changed(names);
  return {
    platform,
    certificates,
    present: (host: string) => presented(listener.port, host),
    async [Symbol.asyncDispose]() {
      certificates.close();
      await listener.close();
      await acceptor.drain(1000);
    },
  };
}

Deno.test("a certificate is read once and after changes, and kept while the platform is unreachable", async () => {
  await using edge = await openEdge();
  const { platform, certificates, present } = edge;
  assert.deepEqual(await Promise.all(["shop.example", "shop.example"].map(present)), [
    "one",
    "one",
  ]);
  assert.equal(await present("none.example"), "");
  assert.deepEqual(platform.asked, ["shop.example", "none.example"]);
  platform.pairs.set("shop.example", TWO);
  await certificates.apply({ type: "certificates_changed", hostnames: ["*.example"] });
  assert.equal(await present("shop.example"), "two");
  platform.state = "away";
  assert.equal(await present("shop.example"), "two");
});

Deno.test("a host gets its certificate once the platform responds, even if an earlier read failed", async () => {
  await using edge = await openEdge();
  const { platform, certificates, present } = edge;
  platform.state = "away";
  assert.deepEqual(await Promise.all(HOSTS.map(present)), ["", ""]);
  assert.equal(platform.troubles.length, 1);
  platform.state = "there";
  for (const host of HOSTS) await until(() => present(host), (name) => name === "one");
  // After an interruption, the edge asks again for hosts that had no certificate.
  assert.equal(await present("none.example"), "");
  platform.pairs.set("none.example", OTHER);
  await certificates.forgetAll();
  assert.equal(await present("none.example"), "other");
});

Deno.test("a change repeats only the read for its host", async () => {
  await using edge = await openEdge();
  const { platform, certificates, present } = edge;
  platform.onRead = () =>
    certificates.apply({ type: "certificates_changed", hostnames: ["blog.example"] });
  assert.equal(await present("shop.example"), "one");
  assert.equal(platform.asked.length, 1);
  platform.onRead = async () => {
    platform.onRead = () => Promise.resolve();
    platform.pairs.set("blog.example", TWO);
    await certificates.apply({ type: "certificates_changed", hostnames: ["blog.example"] });
  };
  assert.equal(await present("blog.example"), "two");
});

Deno.test("invented names use few reads and do not displace the reads for real hosts", async () => {
  await using edge = await openEdge();
  const { platform, certificates } = edge;
  const reading = Promise.withResolvers<void>();
  platform.onRead = () => reading.promise;
  const names = Array.from({ length: 100 }, (_, number) => `${number}.example`);
  const invented = names.map((name) => certificates.find(name));
  const host = certificates.find("shop.example");
  await until(() => platform.asked.includes("shop.example"));
  assert.equal(platform.asked.length, 9);
  reading.resolve();
  assert.equal((await host)?.cert, ONE.cert);
  assert.deepEqual(new Set(await Promise.all(invented)), new Set([undefined]));
});

Deno.test("an edge with a revoked key has no certificates until the platform accepts its key", async () => {
  await using edge = await openEdge();
  const { platform, certificates, present } = edge;
  assert.equal(await present("shop.example"), "one");
  platform.state = "refusing";
  assert.equal(await present("blog.example"), "");
  assert.deepEqual(platform.troubles, []);
  await certificates.revoke();
  platform.state = "there";
  assert.equal(await present("shop.example"), "");
  certificates.allow();
  // As after every interruption, the feed starts with the complete current state.
  await certificates.forgetAll();
  for (const host of HOSTS) assert.equal(await present(host), "one");
});
