/**
 * Runs the CLI in JSON mode in this process, using a test's platform. Checks that the output
 * matches the schemas from `svc schema`.
 *
 * @module
 */
import assert from "node:assert/strict";
import { runCli, type RunOptions } from "../../src/cli/_test_run.ts";
import { TOKEN } from "./platform.ts";

/** Waits between two checks as commands do, but for less time. */
export const sleepBriefly = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, Math.min(milliseconds, 50)));

export interface ToolOptions extends RunOptions {
  /** The platform to use. */
  readonly port: number;
  /** The location of the CLI's settings. */
  readonly home: string;
}

/** Runs a command that must succeed. Returns the first line of its output. */
// deno-lint-ignore no-explicit-any -- any command's output
export async function runTool(argv: readonly string[], options: ToolOptions): Promise<any> {
  const { port, home, env, ...rest } = options;
  const { code, stdout, stderr } = await runCli([...argv, "--json"], {
    fetch,
    sleep: sleepBriefly,
    now: () => Date.now(),
    ...rest,
    env: {
      SVC_API_URL: `http://127.0.0.1:${port}`,
      SVC_TOKEN: TOKEN,
      HOME: home,
      ...env,
    },
  });
  assert.equal(code, 0, `svc ${argv.join(" ")}: ${stdout}${stderr}`);
  return JSON.parse(stdout.slice(0, stdout.indexOf("\n")));
}
