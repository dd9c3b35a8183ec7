import assert from "node:assert/strict";
import { createOutboundFetch } from "./outbound_fetch.ts";
import { codeOf, text, withOutbound } from "./_test_outbound.ts";
import { serveRaw, tableResolver } from "./_test_servers.ts";

const REFUSED: readonly (readonly [string, string])[] = [
  ["the name localhost", "http://localhost/"],
  ["a subdomain of localhost", "http://a.localhost/"],
  ["localhost with a trailing dot", "http://localhost./"],
  ["an mDNS name", "http://printer.local/"],
  ["a cloud metadata service's name", "http://metadata.google.internal/"],
  ["loopback", "http://127.0.0.1/"],
  ["loopback, short", "http://127.1/"],
  ["loopback, decimal", "http://2130706433/"],
  ["loopback, octal", "http://0177.0.0.1/"],
  ["loopback, hexadecimal", "http://0x7f000001/"],
  ["loopback, mixed", "http://0x7f.0.0.01/"],
  ["loopback, full-width digits", "http://１２７.０.０.１/"],
  ["unspecified", "http://0.0.0.0/"],
  ["unspecified, short", "http://0/"],
  ["private 10", "http://10.1.2.3/"],
  ["private 172", "http://172.16.0.1/"],
  ["private 192", "http://192.168.1.1/"],
  ["link-local, metadata", "http://169.254.169.254/latest/meta-data"],
  ["shared (CGNAT)", "http://100.64.0.1/"],
  ["documentation", "http://192.0.2.1/"],
  ["benchmarking", "http://198.18.0.1/"],
  ["multicast", "http://224.0.0.1/"],
  ["broadcast", "http://255.255.255.255/"],
  ["reserved", "http://240.0.0.1/"],
  ["IPv6 loopback", "http://[::1]/"],
  ["IPv6 unspecified", "http://[::]/"],
  ["IPv6 link-local", "http://[fe80::1]/"],
  ["IPv6 unique local", "http://[fd00::1]/"],
  ["IPv6 site-local", "http://[fec0::1]/"],
  ["IPv6 multicast", "http://[ff02::1]/"],
  ["IPv4-mapped", "http://[::ffff:127.0.0.1]/"],
  ["IPv4-mapped, hexadecimal", "http://[::ffff:7f00:1]/"],
  ["IPv4-compatible", "http://[::127.0.0.1]/"],
  ["6to4 of a private address", "http://[2002:a00:1::1]/"],
  ["NAT64 of a private address", "http://[64:ff9b::a00:1]/"],
  ["local NAT64", "http://[64:ff9b:1::a00:1]/"],
  ["Teredo", "http://[2001:0:1::1]/"],
  ["IPv6 documentation", "http://[2001:db8::1]/"],
];

for (const [name, url] of REFUSED) {
  Deno.test(`outbound fetch refuses special hosts: ${name}`, async () => {
    await withOutbound({ allowPrivate: false }, async (send) => {
      assert.equal(await codeOf(send({ url })), "refused_address");
    });
  });
}

Deno.test("outbound fetch refuses names that resolve to private addresses", async () => {
  const names = tableResolver({
    "private.test": [["10.0.0.1"]],
    "mixed.test": [["93.184.215.14", "127.0.0.1"]],
    "mapped.test": [["::ffff:169.254.169.254"]],
    "empty.test": [[]],
  });
  await withOutbound({ allowPrivate: false, resolveDns: names.resolve }, async (send) => {
    assert.equal(await codeOf(send({ url: "http://private.test/" })), "refused_address");
    assert.equal(await codeOf(send({ url: "http://mixed.test/" })), "refused_address");
    assert.equal(await codeOf(send({ url: "https://mapped.test/" })), "refused_address");
    assert.equal(await codeOf(send({ url: "http://empty.test/" })), "dns_failed");
    assert.equal(await codeOf(send({ url: "http://absent.test/" })), "dns_failed");
  });
});

Deno.test("outbound fetch refuses schemes, credentials and ports", async () => {
  await withOutbound({ allowPrivate: false }, async (send) => {
    for (
      const url of ["file:///etc/passwd", "ftp://a.example/", "http://u:p@a.example/", "/path"]
    ) {
      assert.equal(await codeOf(send({ url })), "bad_request", url);
    }
    for (const url of ["http://a.example:22/", "http://a.example:25/", "https://a.example:0/"]) {
      assert.equal(await codeOf(send({ url })), "refused_port", url);
    }
  });
});

Deno.test("outbound fetch connects to the address it checked, not to a second lookup's result", async () => {
  using server = serveRaw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  const names = tableResolver({ "rebind.test": [["127.0.0.1"], ["203.0.113.1"]] });
  await withOutbound({ resolveDns: names.resolve }, async (send) => {
    const url = `http://rebind.test:${server.port}/`;
    assert.equal(await text(await send({ url })), "ok");
    assert.equal(await text(await send({ url })), "ok");
    assert.equal(names.asked("rebind.test"), 1);
    assert.equal(server.connections(), 1);
    assert.match(server.received(), new RegExp(`host: rebind\\.test:${server.port}\r\n`));
  });
});

/** Simulates the internet: every checked address leads to one server here. */
function internet(port: number) {
  const dialled: string[] = [];
  const dial = ({ hostname }: { readonly hostname: string }): Promise<Deno.TcpConn> => {
    dialled.push(hostname);
    return Deno.connect({ hostname: "127.0.0.1", port });
  };
  return { dial, dialled };
}

Deno.test("outbound fetch checks a rebound name again for each connection", async () => {
  using server = serveRaw("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
  const { dial, dialled } = internet(server.port);
  const names = tableResolver({ "rebind.test": [["93.184.215.14"], ["127.0.0.1"]] });
  await withOutbound({ allowPrivate: false, resolveDns: names.resolve, dial }, async (send) => {
    assert.equal(await text(await send({ url: "http://rebind.test/" })), "ok");
    assert.equal(await codeOf(send({ url: "http://rebind.test/" })), "refused_address");
    assert.deepEqual(dialled, ["93.184.215.14"]);
    assert.equal(names.asked("rebind.test"), 2);
  });
});

Deno.test("outbound fetch does not follow a redirect to a private address", async () => {
  for (
    const to of ["http://169.254.169.254/", "http://inside.test/", "//0x7f.1/", "http://[::1]/"]
  ) {
    using server = serveRaw(`HTTP/1.1 302 Found\r\nLocation: ${to}\r\nContent-Length: 0\r\n\r\n`);
    const { dial, dialled } = internet(server.port);
    const names = tableResolver({ "out.test": [["93.184.215.14"]], "inside.test": [["10.0.0.1"]] });
    await withOutbound({ allowPrivate: false, resolveDns: names.resolve, dial }, async (send) => {
      const work = send({ url: "http://out.test/", redirect: "follow" });
      assert.equal(await codeOf(work), "refused_address", to);
      assert.deepEqual(dialled, ["93.184.215.14"]);
    });
  }
});

Deno.test("outbound fetch checks each redirect", async () => {
  using server = serveRaw(
    "HTTP/1.1 302 Found\r\nLocation: ftp://127.0.0.1/\r\nContent-Length: 0\r\n\r\n",
  );
  await withOutbound({}, async (send) => {
    const url = `http://site.test:${server.port}/`;
    assert.equal(await codeOf(send({ url, redirect: "follow" })), "bad_request");
    assert.equal((await send({ url })).status, 302);
    assert.equal(await codeOf(send({ url, redirect: "error" })), "bad_response");
  });
});

Deno.test("outbound fetch stops at a redirect loop", async () => {
  using server = serveRaw("HTTP/1.1 307 Again\r\nLocation: /\r\nContent-Length: 0\r\n\r\n");
  await withOutbound({ maxRedirects: 3 }, async (send) => {
    const url = `http://site.test:${server.port}/`;
    assert.equal(await codeOf(send({ url, redirect: "follow" })), "too_many_redirects");
  });
});

Deno.test("outbound fetch sends no credentials to another origin after a redirect", async () => {
  using other = serveRaw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  using server = serveRaw(
    `HTTP/1.1 303 Other\r\nLocation: http://site.test:${other.port}/x\r\nContent-Length: 0\r\n\r\n`,
  );
  await withOutbound({}, async (send) => {
    const response = await send({
      url: `http://site.test:${server.port}/`,
      method: "POST",
      headers: [["authorization", "secret"], ["cookie", "a=b"], ["x-kept", "1"]],
      redirect: "follow",
    });
    assert.equal(response.redirected, true);
    assert.match(other.received(), /^GET \/x HTTP\/1\.1\r\n/);
    assert.match(other.received(), /x-kept: 1/);
    assert.doesNotMatch(other.received(), /secret|cookie/);
  });
});

Deno.test("outbound fetch reaches the platform's hosts only on their own ports", async () => {
  const dialed: string[] = [];
  const { fetch, close } = createOutboundFetch({
    ownRoute: ({ host, port }) =>
      host === "shop.localhost" && port === 4480 ? { hostname: "127.0.0.1", port: 9 } : undefined,
    dial({ hostname, port }) {
      dialed.push(`${hostname}:${port}`);
      return Promise.reject(new Error("Nobody listens"));
    },
  });
  const ask = (url: string) =>
    fetch({ method: "GET", url, headers: [], body: null, redirect: "follow" }).then(
      () => "answered",
      (error) => String(Reflect.get(error, "code")),
    );
  assert.equal(await ask("http://shop.localhost:4480/"), "connect_failed");
  for (const url of ["http://shop.localhost:4481/", "http://other.localhost:4480/"]) {
    assert.equal(await ask(url), "refused_address", url);
  }
  assert.deepEqual(dialed, ["127.0.0.1:9"]);
  close();
});
