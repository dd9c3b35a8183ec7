/**
 * Downloads large files over each protocol: completely, with cancellation, and with damage on disk.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../../src/lib/_test_until.ts";
import { descriptorsOf } from "../../helpers/descriptors.ts";
import { servingProcesses } from "../../helpers/local_edges.ts";
import { makeCertificate } from "../../../src/lib/_test_certificate.ts";
import { createProject, deploy, sha256, start, type TestPlatform } from "../../helpers/platform.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";

/** Size of the large file in bytes, which is more than a connection's buffers can hold. */
const BYTES = 30_000_000;
const CONTENT = new Uint8Array(BYTES).map((_, index) => (index * index) % 251);

const PROTOCOLS = [
  { name: "HTTP/1.1", scheme: "http", flag: "--http1.1" },
  { name: "HTTP/1.1 over TLS", scheme: "https", flag: "--http1.1" },
  { name: "HTTP/2", scheme: "https", flag: "--http2" },
] as const;
type Protocol = typeof PROTOCOLS[number];

interface Place {
  readonly dataDir: string;
  readonly platform: TestPlatform;
  /** Starts curl for the large file. */
  curl(protocol: Protocol, ...more: string[]): Deno.ChildProcess;
  /** Runs curl for the large file. Returns curl's exit code and the body. */
  download(protocol: Protocol, ...more: string[]): Promise<readonly [number, Uint8Array]>;
}

async function withLargeFile(run: (place: Place) => Promise<void>): Promise<void> {
  return await inTestFolder(async (folder) => {
    const tls = await makeCertificate(folder, "own", ["DNS:svc.test", "DNS:*.svc.test"]);
    const dataDir = join(folder, "data");
    const platform = await start(dataDir, { baseDomain: "svc.test", httpsPort: 0, tls });
    await createProject(platform, "shop");
    // Uploads the file separately, because it is too large for the batch that `deploy()` sends.
    await platform.api("PUT", `/v1/blobs/${sha256(CONTENT)}`, { body: CONTENT });
    await deploy(platform, "shop", { files: { "index.html": "shop", "large.bin": CONTENT } });
    const curl = ({ scheme, flag }: Protocol, ...more: string[]) => {
      const port = scheme === "http" ? platform.port : platform.httpsPort!;
      return new Deno.Command("curl", {
        args: [
          "-sS",
          "--fail",
          flag,
          "--cacert",
          tls.certFile,
          ...more,
          "--resolve",
          `shop.svc.test:${port}:127.0.0.1`,
          `${scheme}://shop.svc.test:${port}/large.bin`,
        ],
        stdout: "piped",
        stderr: "null",
      }).spawn();
    };
    const download = async (protocol: Protocol, ...more: string[]) => {
      const { code, stdout } = await curl(protocol, ...more).output();
      return [code, stdout] as const;
    };
    try {
      await run({ dataDir, platform, curl, download });
    } finally {
      await platform.shutdown();
    }
  });
}

async function blobPath(dataDir: string): Promise<string> {
  const hash = sha256(CONTENT);
  for await (const { name } of Deno.readDir(join(dataDir, "blobs"))) {
    const path = join(dataDir, "blobs", name, hash.slice(0, 2), hash);
    const found = await Deno.stat(path).then(() => true, () => false);
    if (found) return path;
  }
  throw new Error(`Cannot find the blob ${hash} in ${dataDir}`);
}

Deno.test("a large file always arrives complete over each protocol, and in ranges", () =>
  withLargeFile(async ({ download }) => {
    for (let round = 0; round < 3; round++) {
      for (const protocol of PROTOCOLS) {
        const [code, body] = await download(protocol);
        assert.equal(code, 0, protocol.name);
        assert.equal(sha256(body), sha256(CONTENT), protocol.name);
        const [, part] = await download(protocol, "--range", "65530-2500000");
        assert.equal(sha256(part), sha256(CONTENT.slice(65_530, 2_500_001)), protocol.name);
      }
    }
  }));

Deno.test({
  name: "downloads that clients cancel leave no file open",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withLargeFile(async ({ dataDir, platform, curl, download }) => {
      const path = await blobPath(dataDir);
      const openFiles = (): number =>
        servingProcesses(platform).flatMap((pid) => [...descriptorsOf(pid).values()])
          .filter((target) => target === path).length;
      for (let round = 0; round < 2; round++) {
        for (const protocol of PROTOCOLS) {
          const slow = curl(protocol, "--limit-rate", "100k");
          await until(() => openFiles() > 0);
          slow.kill();
          await slow.output();
          await until(() => openFiles() === 0);
          const [whole] = await download(protocol);
          assert.equal(whole, 0);
        }
      }
    }),
});

Deno.test("if a large file is damaged on disk, its transfer breaks off, and it is missing afterwards", () =>
  withLargeFile(async ({ dataDir, download }) => {
    const path = await blobPath(dataDir);
    for (let round = 0; round < 2; round++) assert.equal((await download(PROTOCOLS[0]))[0], 0);
    const damaged = CONTENT.slice();
    damaged[BYTES - 1]! ^= 1;
    await Deno.writeFile(path, damaged);
    const [code, body] = await download(PROTOCOLS[0]);
    assert.equal(code, 18, "curl: transfer closed with bytes remaining");
    assert.ok(body.byteLength < BYTES);
    const [later] = await download(PROTOCOLS[0]);
    assert.equal(later, 22, "curl: an error status");
  }));
