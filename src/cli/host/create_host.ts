/**
 * The process as commands see it.
 *
 * @module
 */
import { noProxyForLoopback } from "../../lib/proxy.ts";
import type { Host } from "../session/context.ts";
import { openBrowser } from "./open_browser.ts";
import { createSignals, sleep } from "./signals.ts";
import { createWriter } from "./stream_writer.ts";
import { createTrustedFetch } from "./trusted_fetch.ts";

/** Describes this process, and listens to its signals from now on. */
export function createHost(): Host {
  const signals = createSignals();
  const env = Deno.env.toObject();
  const noProxy = noProxyForLoopback(env);
  // The runtime reads it with the first request. Children get `env`, as it was.
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
