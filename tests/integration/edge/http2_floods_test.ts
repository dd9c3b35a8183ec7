/**
 * Simulates HTTP/2 clients that read nothing, or that request more than they read. The memory that
 * these clients use must be limited, and their connections must be closed.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { deployServer, LAYERS } from "../../helpers/compute_site.ts";
import {
  get,
  helloWithoutWindow,
  moreOfHead,
  ping,
  reset,
  unfinishedGet,
  zeroIncrement,
} from "../../helpers/http2_frames.ts";
import { makeCertificate } from "../../../src/lib/_test_certificate.ts";
import {
  createProject,
  deploy,
  processOf,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";
import { makeTestFolder } from "../../../src/lib/_test_folder.ts";
import { until } from "../../../src/lib/_test_until.ts";

const HOST = "shop.localhost";
const CONNECTIONS = 10;
const STREAMS = 200;
/** Maximum memory for 2,000 responses of 500 KB, which would otherwise use 1 GB. */
const MAX_GROWTH_MB = 250;

async function residentMb(platform: TestPlatform): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${processOf(platform)}/status`);
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)![1]) / 1024;
}

/** A connection on which all incoming data is read. */
class Client {
  /** Number of received bytes. */
  received = 0;
  isClosed = false;
  readonly ended: Promise<void>;

  readonly #conn: Deno.Conn;

  constructor(conn: Deno.Conn) {
    this.#conn = conn;
    this.ended = this.#read().catch(() => {}).then(() => {
      this.isClosed = true;
    });
  }

  async #read(): Promise<void> {
    const buffer = new Uint8Array(65_536);
    for (;;) {
      const count = await this.#conn.read(buffer);
      if (count === null) return;
      this.received += count;
    }
  }

  /** Sends data until all of it has been sent or the platform closes the connection. */
  async send(bytes: Uint8Array): Promise<void> {
    try {
      for (let at = 0; at < bytes.length;) at += await this.#conn.write(bytes.subarray(at));
    } catch { /* it has been closed */ }
  }

  [Symbol.dispose](): void {
    try {
      this.#conn.close();
    } catch { /* it is already closed */ }
  }
}

const openPlain = async ({ port }: TestPlatform): Promise<Client> =>
  new Client(await Deno.connect({ hostname: "127.0.0.1", port }));

const requests = (count: number, path: string): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, index) => get(1 + 2 * index, HOST, path)));

const noise = (size: number): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  return bytes;
};

async function checkZeroWindow(
  platform: TestPlatform,
  path: string,
  open: () => Promise<Client>,
): Promise<void> {
  const before = await residentMb(platform);
  using clients = new DisposableStack();
  const opened: Client[] = [];
  for (let count = 0; count < CONNECTIONS; count++) {
    const client = clients.use(await open());
    opened.push(client);
    await client.send(Buffer.concat([helloWithoutWindow(), requests(STREAMS, path)]));
  }
  let most = 0;
  await until(async () => {
    most = Math.max(most, await residentMb(platform) - before);
    return opened.every(({ isClosed }) => isClosed);
  });
  assert.ok(most < MAX_GROWTH_MB, `${most.toFixed(0)} MB more`);
  assert.ok(opened.every(({ received }) => received > 0), "Every connection gets response headers");
  assert.equal((await platform.get(HOST, "/")).text, "home");
}

Deno.test("clients without a window use limited memory and lose their connections", async (t) => {
  const folder = await makeTestFolder("svc-http2-");
  const { certFile, keyFile } = await makeCertificate(folder, "edge", [`DNS:${HOST}`]);
  const caCerts = [await Deno.readTextFile(certFile)];
  await withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", {
      files: { "index.html": "home", "big.bin": noise(500_000), "small.bin": noise(40_000) },
    });
    const openTls = async () => {
      const port = platform.httpsPort!;
      const conn = await Deno.connect({ hostname: "127.0.0.1", port });
      return new Client(
        await Deno.startTls(conn, { hostname: HOST, caCerts, alpnProtocols: ["h2"] }),
      );
    };
    for (const path of ["/big.bin", "/small.bin"]) {
      await t.step(
        `${path} without TLS`,
        () => checkZeroWindow(platform, path, () => openPlain(platform)),
      );
      await t.step(`${path} with TLS`, () => checkZeroWindow(platform, path, openTls));
    }
    await t.step("a client with a window gets a complete large file", async () => {
      const { body, headers } = await platform.get(HOST, "/big.bin");
      assert.deepEqual([body.length, headers["content-length"]], [500_000, "500000"]);
    });
  }, { connections: { bodyMs: 3000 }, httpsPort: 0, tls: { certFile, keyFile } });
  await Deno.remove(folder, { recursive: true });
});

/**
 * A server that never responds to `/hang`. Other paths return how many requests for `/hang` are in
 * progress, and the maximum so far.
 */
const HANGING = `
import { createServer } from "node:http";
let live = 0, most = 0;
createServer((request, response) => {
  if (request.url !== "/hang") return response.end(JSON.stringify({ live, most }));
  most = Math.max(most, ++live);
  response.on("close", () => live--);
}).listen(Number(process.env.PORT), process.env.HOST);
`;

/** More than the maximum number of requests on one connection. */
const MAX_LIVE = 300;
const RESETS = 4000;

Deno.test("a client that resets its requests loses its connection", async (t) => {
  await withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployServer(platform, "shop", {
      server: HANGING,
      engine: "node",
      manifest: {
        version: 1,
        layers: LAYERS,
        routes: [{ pattern: "^/.*$", layer: "app" }],
      },
    });
    for (const [name, end] of Object.entries({ "its own": reset, "provoked": zeroIncrement })) {
      await t.step(`${name} resets`, async () => {
        using client = await openPlain(platform);
        const pairs = Array.from({ length: RESETS }, (_, index) => {
          const stream = 1 + 2 * index;
          return Buffer.concat([get(stream, HOST, "/hang"), end(stream)]);
        });
        await client.send(helloWithoutWindow());
        for (const pair of pairs) {
          if (client.isClosed) break;
          await client.send(pair);
        }
        await client.ended;
        const live = async () => JSON.parse((await platform.get(HOST, "/live")).text);
        assert.ok((await live()).most < MAX_LIVE, JSON.stringify(await live()));
        await until(async () => (await live()).live === 0);
      });
    }
  });
});

Deno.test("floods of headers and pings end connections or get responses in bounded memory", async (t) => {
  await withPlatform(async (platform) => {
    const before = await residentMb(platform);
    await t.step("an endless list of headers", async () => {
      using client = await openPlain(platform);
      await client.send(Buffer.concat([helloWithoutWindow(), unfinishedGet(1, HOST)]));
      const part = Buffer.concat(Array.from({ length: 1000 }, () => moreOfHead(1)));
      for (let sent = 0; sent < 64 && !client.isClosed; sent++) await client.send(part);
      await client.ended;
    });
    await t.step("pings", async () => {
      using client = await openPlain(platform);
      await client.send(helloWithoutWindow());
      const part = Buffer.concat(Array.from({ length: 1000 }, ping));
      for (let sent = 0; sent < 64 && !client.isClosed; sent++) await client.send(part);
      await until(() => client.isClosed || client.received >= 64 * part.length);
    });
    const more = await residentMb(platform) - before;
    assert.ok(more < MAX_GROWTH_MB, `${more.toFixed(0)} MB more`);
  }, { connections: { headMs: 5000 } });
});

Deno.test("an HTTP/1.1 client that reads its responses keeps its connection", async () => {
  await withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files: { "index.html": "home" } });
    using conn = await Deno.connect({ hostname: "127.0.0.1", port: platform.port });
    const request = new TextEncoder().encode(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
    const buffer = new Uint8Array(4096);
    for (let asked = 0; asked < 1000; asked++) {
      await conn.write(request);
      for (let text = ""; !text.endsWith("\r\n\r\nhome");) {
        const count = await conn.read(buffer);
        assert.notEqual(count, null, `closed after ${asked} responses`);
        text += new TextDecoder().decode(buffer.subarray(0, count!));
      }
    }
  });
});
