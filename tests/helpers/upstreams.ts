/**
 * A platform with real upstream servers, and deployments with functions.
 *
 * @module
 */
import { inTestFolder, makeTestFolder } from "../../src/lib/_test_folder.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { bundleFunctions } from "../../src/runtime/mod.ts";
import type { ProgramOptions } from "./platform_process.ts";
import { makeCertificate } from "../../src/lib/_test_certificate.ts";
import {
  fileList,
  type Files,
  sha256,
  start,
  STATIC_MANIFEST,
  type TestPlatform,
} from "./platform.ts";

export interface Machinery extends AsyncDisposable {
  readonly platform: TestPlatform;
  readonly folder: string;
  /** Starts an HTTPS server on the loopback address. The server's URL has no path. */
  serve(handler: Deno.ServeHandler): Upstream;
  /** Starts a listener whose connections the test handles byte by byte. */
  listen(talk: (conn: Deno.TlsConn) => Promise<void>): Upstream;
  /** Stops the platform and starts it again with its data. */
  restart(): Promise<TestPlatform>;
}

interface Upstream {
  readonly url: string;
}

/**
 * Opens a platform that is allowed to reach loopback addresses and that trusts the test's servers.
 */
export async function openMachinery(more: Partial<ProgramOptions> = {}): Promise<Machinery> {
  const folder = await makeTestFolder("svc-edge-");
  const { certFile, keyFile } = await makeCertificate(folder, "upstream", [
    "DNS:localhost",
    "IP:127.0.0.1",
  ]);
  const [cert, key] = [await Deno.readTextFile(certFile), await Deno.readTextFile(keyFile)];
  const options = { allowPrivateUpstreams: true, upstreamCa: [cert], ...more };
  const closing: (() => unknown)[] = [];
  let platform = await start(join(folder, "data"), options);
  return {
    get platform() {
      return platform;
    },
    folder,
    serve(handler) {
      const stop = new AbortController();
      const server = Deno.serve({
        hostname: "127.0.0.1",
        port: 0,
        cert,
        key,
        signal: stop.signal,
        onListen: () => {},
      }, handler);
      closing.push(() => stop.abort());
      return { url: `https://localhost:${server.addr.port}` };
    },
    listen(talk) {
      const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, cert, key });
      (async () => {
        for await (const conn of listener) {
          talk(conn).catch(() => {}).finally(() => {
            try {
              conn.close();
            } catch { /* the test has closed it */ }
          });
        }
      })().catch(() => {});
      closing.push(() => listener.close());
      return { url: `https://localhost:${(listener.addr as Deno.NetAddr).port}` };
    },
    async restart() {
      await platform.shutdown();
      return platform = await start(platform.dataDir, options);
    },
    async [Symbol.asyncDispose]() {
      await platform.shutdown();
      for (const close of closing) await close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

export interface Publication {
  readonly files?: Files;
  /** Sources by name, as in `functions/<name>.ts`. */
  readonly functions?: Readonly<Record<string, string>>;
  readonly rules?: readonly unknown[];
  /** Replaces the default manifest, which is for a static site. */
  readonly manifest?: object;
  /** The manifest's `images`. */
  readonly images?: unknown;
  /** Initially serves the deployment only to a fraction of the visitors. */
  readonly rolling?: unknown;
  /** The manifest's `functionLimits`. */
  readonly functionLimits?: unknown;
}

async function bundle(sources: Readonly<Record<string, string>>) {
  return await inTestFolder(async (folder) => {
    await Deno.mkdir(join(folder, "functions"));
    for (const [name, source] of Object.entries(sources)) {
      await Deno.writeTextFile(join(folder, "functions", `${name}.ts`), source);
    }
    const bundled = await bundleFunctions(folder, { cacheDir: folder });
    assert.ok(bundled.ok, JSON.stringify(bundled));
    return bundled.functions;
  });
}

/** Publishes files, functions and rules to production. Returns the deployment. */
export async function publish(platform: TestPlatform, project: string, given: Publication) {
  const { files = { "index.html": "home" }, rules = [], images, functionLimits } = given;
  const { manifest = STATIC_MANIFEST } = given;
  const functions = await bundle(given.functions ?? {});
  const created = await platform.api("POST", `/v1/projects/${project}/deployments`, {
    json: {
      environment: "production",
      manifest: {
        ...manifest,
        ...(images === undefined ? {} : { images }),
        ...(functionLimits === undefined ? {} : { functionLimits }),
      },
      files: fileList(files),
      functions: functions.map(({ name, sha256, source }) => ({
        name,
        sha256,
        size: source.byteLength,
      })),
      rules: { schemaVersion: "EDGE_RULE_SET_V1", rules },
    },
  });
  assert.equal(created.status, 201, JSON.stringify(created.json));
  const blobs = new Map<string, BlobPart>(
    Object.values(files).map((content) => [sha256(content), content]),
  );
  for (const each of functions) blobs.set(each.sha256, each.source as Uint8Array<ArrayBuffer>);
  const form = new FormData();
  for (const [hash, content] of blobs) form.set(hash, new Blob([content]), "blob");
  await platform.api("POST", "/v1/blobs", { body: form });
  const { id } = created.json.deployment;
  const { rolling } = given;
  const json = rolling === undefined ? {} : { rolling };
  const live = await platform.api("POST", `/v1/deployments/${id}/activate`, { json });
  assert.equal(live.status, 200, JSON.stringify(live.json));
  return live.json;
}

/** Returns a rule for all paths, or for paths with a prefix. */
export const rule = (id: string, action: object, prefix?: string): object => ({
  id,
  action,
  ...(prefix === undefined ? {} : { condition: { path: { type: "prefix", value: prefix } } }),
});

/** Returns a rule that forwards all requests under a prefix to an upstream. */
export const proxyTo = (url: string, prefix = "/up/"): object => ({
  id: `proxy-${prefix}`,
  condition: { path: { type: "glob", value: `${prefix}{rest...}` } },
  action: { type: "rewrite", target: `${url}/{rest}`, external: true },
});

/** Returns the function processes that this process has started. */
export function functionProcesses(): number[] {
  const processes = [...Deno.readDirSync("/proc")].flatMap(({ name }) => {
    try {
      const parent = /^PPid:\s+(\d+)$/m.exec(Deno.readTextFileSync(`/proc/${name}/status`))?.[1];
      const command = Deno.readTextFileSync(`/proc/${name}/cmdline`);
      return [{ pid: Number(name), parent: Number(parent), command }];
    } catch {
      return []; // The process has exited in the meantime, or the entry is not a process.
    }
  });
  // The platform is either this process or the program that this process has started.
  const platforms = new Set(
    processes.flatMap(({ pid, parent }) => parent === Deno.pid ? [pid] : []),
  ).add(Deno.pid);
  return processes.flatMap(({ pid, parent, command }) =>
    platforms.has(parent) && /process_main\.ts|__function-process/.test(command) ? [pid] : []
  );
}
