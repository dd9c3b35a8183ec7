/**
 * @module A real platform in this process, a project folder, and the CLI that connects them.
 * Everything is removed after the test.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { exchange } from "../lib/_exchange.ts";
import { type PlatformOptions, startPlatform } from "../serve/mod.ts";
import { runCli, type RunOptions, type RunOutcome } from "./_test_run.ts";

const TOKEN = "svc_cli_0123456789abcdef0123456789abcdef";

export interface Bench {
  /** The project folder `my-site`, with an `index.html`. */
  readonly site: string;
  readonly env: Record<string, string>;
  /** Runs the CLI in the folder, by default without a terminal. */
  run(argv: readonly string[], options?: RunOptions): Promise<RunOutcome>;
  /** Runs the CLI in JSON mode, expects success and returns its one object. */
  json(argv: readonly string[], options?: RunOptions): Promise<Record<string, unknown>>;
  /** Writes a file in the project. */
  write(path: string, text: string): Promise<void>;
  read(path: string): Promise<string>;
  /** Requests a page from the edge at a deployment's URL. */
  page(address: unknown, path: string): Promise<{ status: number; text: string }>;
}

async function fetchPage(port: number, address: unknown, path: string) {
  const headers = { host: new URL(String(address)).host };
  const { status, body } = await exchange({ port, path, headers });
  return { status, text: new TextDecoder().decode(body) };
}

/** Runs a test with a separate platform. `options` override the defaults. */
export async function withPlatform(
  test: (bench: Bench) => Promise<void>,
  options: Partial<PlatformOptions> = {},
): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-cli-" }));
  // PostgreSQL runs as a separate user, which must be able to reach its data below this folder.
  await Deno.chmod(folder, 0o711);
  const site = join(folder, "my-site");
  await Deno.mkdir(site);
  await Deno.writeTextFile(join(site, "index.html"), "<h1>One</h1>");
  const platform = await startPlatform({
    host: "127.0.0.1",
    port: 0,
    postgresPort: 0,
    dataDir: join(folder, "data"),
    baseDomain: "localhost",
    trustProxy: [],
    edges: 0,
    bootstrapToken: TOKEN,
    env: Deno.env.toObject(),
    version: "0.0.0",
    log: () => {},
    ...options,
  });
  const env = {
    HOME: join(folder, "home"),
    SVC_TOKEN: TOKEN,
    SVC_API_URL: `http://127.0.0.1:${platform.port}`,
  };
  const run: Bench["run"] = (argv, options = {}) =>
    runCli(argv, {
      cwd: site,
      env,
      fetch,
      now: () => Date.now(),
      sleep: (milliseconds) => delay(milliseconds),
      ...options,
    });
  try {
    await test({
      site,
      env,
      run,
      async json(argv, options) {
        const { code, stdout, stderr } = await run([...argv, "--json"], options);
        assert.equal(code, 0, `svc ${argv.join(" ")}: ${stdout}${stderr}`);
        assert.equal(stdout.trimEnd().split("\n").length, 1);
        return JSON.parse(stdout);
      },
      write: (path, text) => Deno.writeTextFile(join(site, path), text),
      read: (path) => Deno.readTextFile(join(site, path)),
      page: (address, path) => fetchPage(platform.port, address, path),
    });
  } finally {
    await platform.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
}
