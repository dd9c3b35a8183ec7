import assert from "node:assert/strict";
import { OutboundError, type OutboundErrorCode } from "../http1/errors.ts";
import { type RawServer, serveRaw, tableResolver } from "./_test_servers.ts";
import { createOutboundFetch, type OutboundOptions } from "./outbound_fetch.ts";
import type { OutboundRequest, OutboundResponse } from "./types.ts";

const LOOPBACK = tableResolver({ "site.test": [["127.0.0.1"]] });

async function withOutbound<T>(
  options: OutboundOptions,
  run: (
    send: (request: Partial<OutboundRequest> & { url: string }) => Promise<OutboundResponse>,
  ) => Promise<T>,
): Promise<T> {
  const outbound = createOutboundFetch({
    allowPrivate: true,
    resolveDns: LOOPBACK.resolve,
    connectMs: 2000,
    idleMs: 2000,
    ...options,
  });
  try {
    return await run((request) =>
      outbound.fetch({ method: "GET", headers: [], body: null, ...request })
    );
  } finally {
    outbound.close();
  }
}

const text = async (response: OutboundResponse): Promise<string> =>
  response.body === null ? "" : await new Response(response.body).text();

async function codeOf(work: Promise<unknown>): Promise<OutboundErrorCode | "none"> {
  try {
    await work;
    return "none";
  } catch (error) {
    assert.ok(error instanceof OutboundError, String(error));
    return error.code;
  }
}

const REFUSED: readonly (readonly [string, string])[] = [
  ["name localhost", "http://localhost/"],
  ["name below localhost", "http://a.localhost/"],
  ["name with final dot", "http://localhost./"],
  ["mDNS name", "http://printer.local/"],
  ["cloud metadata name", "http://metadata.google.internal/"],
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
  Deno.test(`outbound fetch refuses ${name}`, async () => {
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

Deno.test("outbound fetch connects to the address it judged, not to a second answer", async () => {
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

/** Stands for the internet: every judged address leads to one server here. */
function internet(port: number) {
  const dialled: string[] = [];
  const dial = ({ hostname }: { readonly hostname: string }): Promise<Deno.TcpConn> => {
    dialled.push(hostname);
    return Deno.connect({ hostname: "127.0.0.1", port });
  };
  return { dial, dialled };
}

Deno.test("outbound fetch judges a name that was rebound again for each connection", async () => {
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

Deno.test("outbound fetch judges each hop of a redirect", async () => {
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

Deno.test("outbound fetch stops a circle of redirects", async () => {
  using server = serveRaw("HTTP/1.1 307 Again\r\nLocation: /\r\nContent-Length: 0\r\n\r\n");
  await withOutbound({ maxRedirects: 3 }, async (send) => {
    const url = `http://site.test:${server.port}/`;
    assert.equal(await codeOf(send({ url, redirect: "follow" })), "too_many_redirects");
  });
});

Deno.test("outbound fetch keeps credentials from another origin on redirect", async () => {
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

const MALFORMED: readonly (readonly [string, string])[] = [
  ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde"],
  ["two equal lengths", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc"],
  ["a list of lengths", "HTTP/1.1 200 OK\r\nContent-Length: 3, 3\r\n\r\nabc"],
  ["a signed length", "HTTP/1.1 200 OK\r\nContent-Length: +3\r\n\r\nabc"],
  [
    "length and coding",
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
  ],
  ["an unknown coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nabc"],
  ["two codings", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"],
  ["a coding in HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
  ["a folded header", "HTTP/1.1 200 OK\r\nX-A: a\r\n b\r\nContent-Length: 0\r\n\r\n"],
  ["a space before the colon", "HTTP/1.1 200 OK\r\nContent-Length : 3\r\n\r\nabc"],
  ["a bare line feed", "HTTP/1.1 200 OK\r\nX-A: a\nX-B: b\r\nContent-Length: 0\r\n\r\n"],
  ["a bare carriage return", "HTTP/1.1 200 OK\r\nX-A: a\rX-B: b\r\nContent-Length: 0\r\n\r\n"],
  ["a NUL", "HTTP/1.1 200 OK\r\nX-A: a\0b\r\nContent-Length: 0\r\n\r\n"],
  ["no status line", "hello\r\n\r\n"],
  ["HTTP/2 in the status line", "HTTP/2 200 OK\r\n\r\n"],
  ["an unasked switch of protocols", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n"],
];

for (const [name, answer] of MALFORMED) {
  Deno.test(`outbound fetch refuses an answer with ${name}`, async () => {
    using server = serveRaw(answer);
    await withOutbound({}, async (send) => {
      const code = await codeOf(send({ url: `http://site.test:${server.port}/` }));
      assert.equal(code, "bad_response");
    });
  });
}

const BROKEN_BODIES: readonly (readonly [string, OutboundErrorCode, string])[] = [
  ["is cut off", "reset", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"],
  ["ends within a chunk", "reset", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"],
  [
    "has a chunk longer than it says",
    "bad_response",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n0\r\n\r\n",
  ],
  [
    "has a chunk without size",
    "bad_response",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
  ],
];

for (const [name, code, answer] of BROKEN_BODIES) {
  Deno.test(`outbound fetch breaks off a body that ${name}`, async () => {
    using server = serveRaw(answer, null);
    await withOutbound({}, async (send) => {
      const response = await send({ url: `http://site.test:${server.port}/` });
      assert.equal(await codeOf(text(response)), code);
    });
  });
}

Deno.test("outbound fetch does not use a connection again after bytes that belong to no answer", async () => {
  using server = serveRaw(
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\nEVIL",
  );
  await withOutbound({}, async (send) => {
    const url = `http://site.test:${server.port}/`;
    assert.equal(await text(await send({ url })), "ok");
    assert.equal(await text(await send({ url })), "ok");
    assert.equal(server.connections(), 2);
  });
});

/** The second request on a connection meets an end that came too late to be seen. */
async function dialStale(to: { readonly port: number }): Promise<Deno.TcpConn> {
  const conn = await Deno.connect({ hostname: "127.0.0.1", port: to.port });
  const write = conn.write.bind(conn);
  let writes = 0;
  conn.write = (bytes) =>
    ++writes === 2 ? Promise.reject(new Deno.errors.BrokenPipe("gone")) : write(bytes);
  return conn;
}

Deno.test("outbound fetch repeats only what may be repeated on a stale connection", async () => {
  using server = serveRaw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na");
  const url = `http://site.test:${server.port}/`;
  await withOutbound({ dial: dialStale }, async (send) => {
    assert.equal(await text(await send({ url })), "a");
    assert.equal(await text(await send({ url })), "a");
    assert.equal(server.connections(), 2);
    assert.equal(await codeOf(send({ url, method: "POST" })), "reset");
    assert.equal(server.connections(), 2);
  });
});

Deno.test("outbound fetch reports which time limit has passed", async () => {
  using silent = serveRaw("");
  using slow = serveRaw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
  await withOutbound({ idleMs: 30 }, async (send) => {
    assert.equal(await codeOf(send({ url: `http://site.test:${silent.port}/` })), "idle_timeout");
    const response = await send({ url: `http://site.test:${slow.port}/` });
    assert.equal(await codeOf(text(response)), "idle_timeout");
  });
  const never = (): Promise<readonly string[]> => new Promise(() => {});
  await withOutbound({ connectMs: 20, resolveDns: never }, async (send) => {
    assert.equal(await codeOf(send({ url: "http://site.test/" })), "connect_timeout");
  });
});

Deno.test("outbound fetch ends when it is aborted", async () => {
  using silent = serveRaw("");
  await withOutbound({}, async (send) => {
    const abort = new AbortController();
    const work = codeOf(send({ url: `http://site.test:${silent.port}/`, signal: abort.signal }));
    while (silent.received() === "") await new Promise((resolve) => setTimeout(resolve, 1));
    abort.abort();
    assert.equal(await work, "aborted");
  });
});

Deno.test("outbound fetch drops hop-by-hop headers both ways", async () => {
  using server = serveRaw(
    "HTTP/1.1 200 OK\r\nConnection: x-own\r\nX-Own: 1\r\nKeep-Alive: 5\r\nX-End: 2\r\nContent-Length: 0\r\n\r\n",
  );
  await withOutbound({}, async (send) => {
    const { headers } = await send({
      url: `http://site.test:${server.port}/a?b=c`,
      headers: [["Connection", "x-secret"], ["X-Secret", "1"], ["TE", "trailers"], ["X-Kept", "2"]],
    });
    assert.deepEqual(headers, [["X-End", "2"], ["Content-Length", "0"]]);
    const sent = server.received();
    assert.match(sent, /^GET \/a\?b=c HTTP\/1\.1\r\nhost: site\.test:\d+\r\nX-Kept: 2\r\n\r\n$/);
  });
});

Deno.test("outbound fetch refuses headers that would break out of their line", async () => {
  using server = serveRaw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  await withOutbound({}, async (send) => {
    const url = `http://site.test:${server.port}/`;
    for (
      const header of [["x", "a\r\nb: c"], ["x y", "a"], ["x:", "a"], ["x", "\u0100"]] as const
    ) {
      assert.equal(await codeOf(send({ url, headers: [header] })), "bad_request");
    }
    assert.equal(await codeOf(send({ url, method: "GET / HTTP/1.1\r\nx:" })), "bad_request");
    assert.equal(server.received(), "");
  });
});

Deno.test("outbound fetch streams bodies both ways over one connection", async () => {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => new Response(request.body),
  );
  await withOutbound({}, async (send) => {
    const url = `http://site.test:${server.addr.port}/`;
    for (const size of [0, 1, 70_000, 3_000_000]) {
      for (const headers of [[], [["content-length", String(size)]]] as [string, string][][]) {
        const body = new Response(new Uint8Array(size).fill(7)).body;
        const response = await send({ url, method: "POST", headers, body });
        const back = await new Response(response.body).bytes();
        assert.equal(back.byteLength, size);
        assert.ok(back.every((byte) => byte === 7));
      }
    }
  });
  await server.shutdown();
});

Deno.test("outbound fetch refuses a body that is not as long as it says", async () => {
  using server = serveRaw("");
  await withOutbound({}, async (send) => {
    const request = { url: `http://site.test:${server.port}/`, method: "POST" };
    const body = (): ReadableStream<Uint8Array> => new Response("abc").body!;
    assert.equal(
      await codeOf(send({ ...request, headers: [["content-length", "2"]], body: body() })),
      "bad_request",
    );
    assert.equal(
      await codeOf(send({ ...request, headers: [["content-length", "4"]], body: body() })),
      "bad_request",
    );
  });
});

Deno.test("outbound fetch lets a connection rest for its time, and no longer", async () => {
  using server = serveRaw("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
  const { fetch, close } = createOutboundFetch({ allowPrivate: true, restMs: 40 });
  const ask = async () => {
    const request = { method: "GET", headers: [], body: null };
    const answer = await fetch({ ...request, url: `http://127.0.0.1:${server.port}/` });
    return new TextDecoder().decode(answer.bytes);
  };
  assert.deepEqual([await ask(), await ask(), server.connections()], ["ok", "ok", 1]);
  await new Promise((resolve) => setTimeout(resolve, 80));
  assert.deepEqual([await ask(), server.connections()], ["ok", 2]);
  close();
});

Deno.test("outbound fetch gives a short body that comes soon as bytes, and as a stream", async () => {
  const head = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n";
  using whole = serveRaw(`${head}body`);
  using parts = serveRaw(`${head}bo`, "dy");
  const { fetch, close } = createOutboundFetch({ allowPrivate: true });
  const ask = ({ port }: RawServer, body: ReadableStream<Uint8Array> | null) =>
    fetch({
      ...{ method: "POST", url: `http://127.0.0.1:${port}/`, headers: [["content-length", "1"]] },
      body,
    });
  const one = await ask(whole, null);
  assert.equal(new TextDecoder().decode(one.bytes), "body");
  assert.equal(await new Response(one.body).text(), "body");
  const after = (milliseconds: number) =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        setTimeout(() => {
          controller.enqueue(new Uint8Array(1));
          controller.close();
        }, milliseconds);
      },
    });
  const two = await ask(parts, after(100));
  assert.equal(two.bytes, undefined);
  assert.equal(await new Response(two.body).text(), "body");
  using soon = serveRaw(`${head}bo`, "dy");
  const three = await ask(soon, after(0));
  assert.equal(new TextDecoder().decode(three.bytes), "body");
  using cut = serveRaw(`${head}bo`, null);
  const four = await ask(cut, null);
  assert.equal(four.bytes, undefined);
  await assert.rejects(new Response(four.body).text());
  close();
});
