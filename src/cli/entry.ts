/**
 * @module The entry point: prints the version, runs an internal process, or runs a command line.
 */
import process from "node:process";
import { EXIT } from "./exit_code.ts";
import { createWriter } from "./host/stream_writer.ts";
import { VERSION } from "./version.ts";
import { noProxyForLoopback } from "../lib/proxy.ts";
import { sleep } from "../lib/sleep.ts";
import type { Host } from "./session/context.ts";
import { openBrowser } from "./host/open_browser.ts";
import { createSignals } from "./host/signals.ts";
import { createTrustedFetch } from "./host/trusted_fetch.ts";

/** Describes this process, and starts listening for its signals. */
function createHost(): Host {
  const signals = createSignals();
  const env = Deno.env.toObject();
  const noProxy = noProxyForLoopback(env);
  // The runtime reads these variables at the first request. Child processes get the original `env`.
  if (noProxy !== undefined) {
    Deno.env.set("NO_PROXY", noProxy);
    Deno.env.set("no_proxy", noProxy);
  }
  return {
    stdout: createWriter(Deno.stdout),
    stderr: createWriter(Deno.stderr),
    stdinIsTerminal: Deno.stdin.isTerminal(),
    stdin: () => Deno.stdin.readable,
    env,
    cwd: Deno.cwd(),
    now: () => Date.now(),
    signal: signals.stop,
    takeSignals: signals.take,
    onSecondStop: signals.onSecondStop,
    fetch: createTrustedFetch(env),
    sleep,
    openUrl: (url) => openBrowser(url, env),
    machineName: () => Deno.hostname(),
    keyboard: {
      async read() {
        const bytes = new Uint8Array(1024);
        const count = await Deno.stdin.read(bytes);
        return count === null ? null : bytes.subarray(0, count);
      },
      setRaw: (raw) => Deno.stdin.setRaw(raw),
    },
  };
}

/** `svc --version` does not load the command tree. */
const VERSION_FLAGS: ReadonlySet<string> = new Set(["--version", "-v"]);

/** Prefix of the arguments that the program uses to start copies of itself. */
const HIDDEN_PREFIX = "__";

/** Runs the CLI with the process's arguments and exits with its exit code. */
export async function main(): Promise<never> {
  const [first, ...rest] = Deno.args;
  if (first !== undefined && VERSION_FLAGS.has(first) && rest.length === 0) {
    if (Deno.env.get("SVC_JSON") !== "1") {
      createWriter(Deno.stdout).write(`${VERSION}\n`);
      Deno.exit(EXIT.success);
    }
  }
  if (first?.startsWith(HIDDEN_PREFIX)) {
    const { runHiddenProcess } = await import("./hidden_process.ts");
    return await runHiddenProcess(first, rest);
  }
  // Deprecation warnings from the runtime's modules do not concern the user.
  process.noDeprecation = true;
  const { runProgram } = await import("./program.ts");
  const host = createHost();
  const code = await runProgram(Deno.args, host);
  if (Deno.build.standalone && host.stderr.isTerminal && !host.signal.aborted) {
    const { mindReleases } = await import("./upgrade/notice.ts");
    await mindReleases(Deno.args, host);
  }
  Deno.exit(code);
}
