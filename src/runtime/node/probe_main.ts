/** @module The process that probes Node's sandbox and writes the results as JSON. */
import { probeKind } from "./sandbox/probe_kind.ts";

/** Tries the sandbox with an empty folder and exits. */
export async function runNodeProbe(folder: string): Promise<never> {
  const found = await probeKind(folder);
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(found)));
  // A thread of this process is in the sandbox, where it waits for a supervisor that does not
  // exist.
  Deno.exit(0);
}

if (import.meta.main && !Deno.build.standalone) await runNodeProbe(Deno.args[0] ?? "");
