/** @module Runs `svc dev` on a project with a server, for tests. */
import type { PlatformOptions } from "../../serve/mod.ts";
import { type Bench, withPlatform } from "../_test_platform.ts";
import { runCli, type RunOptions } from "../_test_run.ts";

const SERVER = `
const { createServer } = require("node:http");
const { GREETING, DATABASE_URL } = process.env;
createServer((_, response) => response.end(JSON.stringify({ GREETING, DATABASE_URL })))
  .listen(process.env.PORT);
`;

/** Runs `svc dev` until its server has responded once. Returns the response and the output. */
export async function dev(
  bench: Pick<Bench, "site" | "env">,
  argv: readonly string[],
  options: RunOptions = {},
) {
  const stop = new AbortController();
  let answer: unknown;
  const ask = async (printed: string) => {
    if ("error" in JSON.parse(printed)) return;
    answer = await (await fetch(`http://127.0.0.1:${JSON.parse(printed).port}/`)).json();
  };
  const run = await runCli(["dev", "--port", "0", "--json", ...argv], {
    cwd: bench.site,
    env: { PATH: Deno.env.get("PATH") ?? "", ...bench.env },
    fetch,
    now: () => Date.now(),
    signal: stop.signal,
    onStdout: (printed) =>
      void ask(printed).finally(() => stop.abort(new DOMException("Stop", "AbortError"))),
    ...options,
  });
  return { ...run, answer };
}

/**
 * Runs a test with a separate platform and a project whose server reports the inputs that it gets.
 */
export async function withServer(
  test: (bench: Bench) => Promise<void>,
  options: Partial<PlatformOptions> = {},
): Promise<void> {
  await withPlatform(async (bench) => {
    await bench.write("server.cjs", SERVER);
    await bench.json(["init", "--create"]);
    const toml = await bench.read("svc.toml");
    await bench.write("svc.toml", `${toml}\n[dev]\ncommand = "node server.cjs"\n`);
    await test(bench);
  }, options);
}
