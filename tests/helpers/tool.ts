/**
 * The CLI in JSON mode, in this process, against a platform of a test. What it prints is held
 * to the schemas that `svc schema` shows.
 *
 * @module
 */
import assert from "node:assert/strict";
import { runCli, type RunOptions } from "../../src/cli/_test_run.ts";
import { TOKEN } from "./platform.ts";

/** Waits as commands do between two looks, except for a short time. */
export const sleepBriefly = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, Math.min(milliseconds, 50)));

export interface ToolOptions extends RunOptions {
  /** The platform that it asks. */
  readonly port: number;
  /** Where it has its settings. */
  readonly home: string;
}

/** The first line of the response of a command that succeeds. */
// deno-lint-ignore no-explicit-any -- any command's answer
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
