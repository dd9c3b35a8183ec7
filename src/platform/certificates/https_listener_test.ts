import assert from "node:assert/strict";
import { join } from "node:path";
import { connect } from "node:tls";
import type { KeyPair } from "./certificate.ts";
import { testAcceptor } from "../core/listener/_test_acceptor.ts";
import type { ConnectionHandler } from "../core/listener/mod.ts";
import { type CertificateSource, HttpsListener } from "./https_listener.ts";
import { makeKeyPair } from "../../lib/_test_certificate.ts";
import { until } from "../../lib/_test_until.ts";

/** Returns the name in the certificate from a handshake, or why the handshake failed. */
function namePresented(port: number, servername: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(
      { host: "127.0.0.1", port, servername, rejectUnauthorized: false },
      () => {
        resolve(String(socket.getPeerCertificate().subject.CN));
        socket.destroy();
      },
    );
    socket.on(
      "error",
      (error) => resolve(/alert|EOF|closed/i.test(error.message) ? "alert" : "error"),
    );
  });
}

async function withListener(
  certificates: (pairs: { a: KeyPair; b: KeyPair }) => CertificateSource,
  run: (listener: HttpsListener, asked: string[]) => Promise<void>,
  { handler, ...options }: { readonly maxNames?: number; readonly handler?: ConnectionHandler } =
    {},
): Promise<void> {
  const [a, b] = [await makeKeyPair("a.test"), await makeKeyPair("b.test")];
  const asked: string[] = [];
  const source = certificates({ a, b });
  const { acceptor, serve } = testAcceptor(handler === undefined ? {} : { handler });
  const listener = new HttpsListener({
    hostname: "127.0.0.1",
    port: 0,
    serve,
    certificates: source.type === "one" ? source : {
      type: "by_name",
      find: (name) => {
        asked.push(name);
        return source.find(name);
      },
    },
    ...options,
  });
  try {
    await run(listener, asked);
  } finally {
    await listener.close();
    await acceptor.drain(1000);
  }
}

/** Waits until the listener presents the wanted certificate. */
async function settled(port: number, servername: string, wanted: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (await namePresented(port, servername) === wanted) return;
  }
  assert.fail(`Never saw ${wanted} for ${servername}`);
}

Deno.test("HttpsListener chooses a certificate by server name, and rejects names without one", () =>
  withListener(
    ({ a, b }) => ({
      type: "by_name",
      find: (name) => Promise.resolve(({ "a.test": a, "b.test": b })[name]),
    }),
    async ({ port }) => {
      assert.equal(await namePresented(port, "a.test"), "a.test");
      assert.equal(await namePresented(port, "b.test"), "b.test");
      assert.notEqual(await namePresented(port, "c.test"), "a.test");
      assert.equal(await namePresented(port, "A.TEST"), "a.test");
    },
  ));

Deno.test("HttpsListener.changed() serves a new certificate, even after a refusal", () => {
  const known = new Map<string, KeyPair>();
  let spare: KeyPair;
  return withListener(
    ({ a, b }) => {
      known.set("a.test", a);
      spare = b;
      return { type: "by_name", find: (name) => Promise.resolve(known.get(name)) };
    },
    async (listener) => {
      const { port } = listener;
      assert.equal(await namePresented(port, "a.test"), "a.test");
      await namePresented(port, "late.test");
      known.set("a.test", spare);
      known.set("late.test", spare);
      await listener.changed(["a.test", "late.test"]);
      assert.equal(await namePresented(port, "a.test"), "b.test");
      assert.equal(await namePresented(port, "late.test"), "b.test");
      assert.equal(listener.port, port);
    },
  );
});

Deno.test("HttpsListener.changed() with a wildcard lets a refused name be retried", () => {
  let isThere = false;
  return withListener(({ a }) => ({
    type: "by_name",
    find: () => Promise.resolve(isThere ? a : undefined),
  }), async (listener) => {
    assert.equal(await namePresented(listener.port, "x.a.test"), "alert");
    isThere = true;
    await listener.changed(["*.b.test"]);
    assert.equal(await namePresented(listener.port, "x.a.test"), "alert", "it was refused before");
    await listener.changed(["*.a.test"]);
    await settled(listener.port, "x.a.test", "a.test");
  });
});

Deno.test("HttpsListener.changed() does not interrupt a handshake that waits for its certificate", () => {
  const chosen = Promise.withResolvers<void>();
  const waiting = Promise.withResolvers<void>();
  return withListener(({ a }) => ({
    type: "by_name",
    find: async () => {
      waiting.resolve();
      await chosen.promise;
      return a;
    },
  }), async (listener, asked) => {
    const presented = namePresented(listener.port, "a.test");
    await waiting.promise;
    await listener.changed(["a.test"]);
    chosen.resolve();
    assert.equal(await presented, "a.test");
    assert.equal(await namePresented(listener.port, "a.test"), "a.test");
    assert.deepEqual(asked, ["a.test"], "the same listener has cached the certificate");
  });
});

Deno.test("HttpsListener starts over once too many names were requested", () =>
  withListener(
    ({ a }) => ({
      type: "by_name",
      find: (name) => Promise.resolve(name === "a.test" ? a : undefined),
    }),
    async ({ port }, asked) => {
      await namePresented(port, "a.test");
      await namePresented(port, "x1.test");
      await namePresented(port, "x2.test");
      await settled(port, "a.test", "a.test");
      assert.deepEqual(asked, ["a.test", "x1.test", "x2.test", "a.test"]);
    },
    { maxNames: 3 },
  ));

Deno.test("HttpsListener.replace() serves the replacement for a single certificate", () => {
  let current: KeyPair;
  let next: KeyPair;
  return withListener(
    ({ a, b }) => {
      [current, next] = [a, b];
      return { type: "one", current: () => current };
    },
    async (listener) => {
      assert.equal(await namePresented(listener.port, "any.test"), "a.test");
      current = next;
      listener.replace();
      await settled(listener.port, "any.test", "b.test");
    },
  );
});

/** Requests a page, and resolves with its text when the connection has closed. */
function get(port: number): Promise<string> {
  const options = { host: "127.0.0.1", port, servername: "a.test", rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(options, () => {
      socket.write("GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n");
    });
    socket.on("data", (chunk) => answer += String(chunk));
    socket.on("end", () => resolve(answer.split("\r\n\r\n", 2)[1] ?? ""));
    socket.on("error", reject);
  });
}

Deno.test("HttpsListener.replace() lets running requests finish on the old listener", () => {
  const arrived = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  let requests = 0;
  const handler = async () => {
    requests++;
    if (requests > 1) return new Response("new");
    arrived.resolve();
    await release.promise;
    return new Response("old");
  };
  return withListener(
    ({ a }) => ({ type: "by_name", find: () => Promise.resolve(a) }),
    async (listener) => {
      const slow = get(listener.port);
      await arrived.promise;
      listener.replace();
      await settled(listener.port, "a.test", "a.test");
      assert.equal(await get(listener.port), "new");
      release.resolve();
      assert.equal(await slow, "old");
    },
    { handler },
  );
});

Deno.test({
  name: "HttpsListener.replace() does not refuse any connection",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withListener(
      ({ a }) => ({ type: "by_name", find: () => Promise.resolve(a) }),
      async (listener) => {
        const seen = new Set<string>();
        let isReplacing = true;
        const client = async () => {
          while (isReplacing) seen.add(await namePresented(listener.port, "a.test"));
        };
        const clients = Array.from({ length: 8 }, client);
        for (let count = 0; count < 10; count++) await listener.replace();
        isReplacing = false;
        await Promise.all(clients);
        assert.deepEqual([...seen], ["a.test"]);
        await listener.standAlone();
        const { port } = listener;
        assert.throws(() => Deno.listen({ hostname: "127.0.0.1", port }), Deno.errors.AddrInUse);
      },
    ),
});

Deno.test("a listener that fails as soon as it opens is reopened until one works", async () => {
  const pair = await makeKeyPair("a.test");
  const { acceptor, serve } = testAcceptor({});
  let failures = 3;
  const listener = new HttpsListener({
    hostname: "127.0.0.1",
    port: 0,
    certificates: { type: "one", current: () => pair },
    serve: (opened, closed) =>
      failures-- > 0 ? Promise.reject(new Error("Too many open files")) : serve(opened, closed),
  });
  try {
    await until(() => failures < 0);
    assert.equal(await namePresented(listener.port, "a.test"), "a.test");
  } finally {
    await listener.close();
    await acceptor.drain(1000);
  }
});

/**
 * Sends one request with openssl, which saves or resumes a session. Returns "New" or "Reused", and
 * the protocol.
 */
async function sessionOf(port: number, version: "tls1_2" | "tls1_3", more: readonly string[]) {
  const child = new Deno.Command("openssl", {
    args: [
      "s_client",
      "-connect",
      `127.0.0.1:${port}`,
      "-servername",
      "a.test",
      `-${version}`,
      "-alpn",
      "http/1.1",
      "-ign_eof",
      ...more,
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  const request = "GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n";
  await writer.write(new TextEncoder().encode(request));
  const text = new TextDecoder().decode((await child.output()).stdout);
  await writer.close().catch(() => {});
  return [/^(New|Reused), TLS/m.exec(text)?.[1], /^ALPN protocol: (.+)$/m.exec(text)?.[1]];
}

Deno.test("HttpsListener with one certificate lets clients resume their sessions", () =>
  withListener(({ a }) => ({ type: "one", current: () => a }), async ({ port }) => {
    const folder = await Deno.makeTempDir({ prefix: "svc-session-" });
    const file = join(folder, "session");
    for (const version of ["tls1_2", "tls1_3"] as const) {
      const first = await sessionOf(port, version, ["-sess_out", file]);
      assert.deepEqual(first, ["New", "http/1.1"], version);
      const second = await sessionOf(port, version, ["-sess_in", file]);
      assert.deepEqual(second, ["Reused", "http/1.1"], version);
    }
    await Deno.remove(folder, { recursive: true });
  }));
