/**
 * A bare `Deno.serve` that sends the same bytes as svc for each path, in the same runtime. It runs
 * from source, or compiled if `SVC_BIN` and `DENORT_BIN` are set to a program and its runtime.
 *
 * @module
 */
import { join } from "node:path";
import { unusedPort } from "../../src/lib/unused_port.ts";
import { fetchByHost } from "../_fetch_by_host.ts";
import { hear } from "../_process.ts";
import { type Command, programCommand } from "../_program.ts";
import { ROOT } from "../_source_files.ts";
import { type Peer, startPeer } from "./_peers.ts";

/** One response, as JSON. */
export interface BareAnswer {
  readonly path: string;
  readonly status: number;
  readonly fields: readonly (readonly [string, string])[];
  /** `null` if the response has no body. */
  readonly text: string | null;
}

/** The name of the bare server in tables. */
export const BARE = "bare Deno.serve";

/** Header fields that the runtime writes itself. */
const WRITTEN_BY_RUNTIME = new Set(["connection", "content-length", "date", "keep-alive"]);

interface Answered {
  readonly port: number;
  readonly host: string;
  /** The paths that the bench requests. */
  readonly paths: readonly string[];
}

async function answerOf({ port, host }: Answered, path: string): Promise<BareAnswer> {
  const asked = { port, host, path };
  // The bench measures the second response, which comes from memory or from the cache.
  await fetchByHost(asked);
  const { status, headers, text } = await fetchByHost(asked);
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || WRITTEN_BY_RUNTIME.has(name)
      ? []
      : [value].flat().map((line): [string, string] => [name, line])
  );
  return { path, status, fields, text: text === "" ? null : text };
}

/** Returns the command that starts the server, without its arguments: the port and the file. */
async function bareCommand(folder: string): Promise<Command> {
  const source = join(ROOT, "scripts", "bench", "_bare_server.ts");
  const allowed = ["--allow-net=127.0.0.1", `--allow-read=${folder},${source}`];
  const runtime = Deno.env.get("DENORT_BIN");
  if (programCommand().length > 1 || runtime === undefined) {
    return [Deno.execPath(), "run", "--quiet", "--no-config", "--no-check", ...allowed, source];
  }
  const output = join(folder, "bare");
  const made = await hear([
    Deno.execPath(),
    "compile",
    "--quiet",
    "--no-config",
    "--no-check",
    ...allowed,
    "--output",
    output,
    source,
  ]);
  if (made.code !== 0) throw new Error(`Cannot compile the bare server: ${made.stderr}`);
  return [output];
}

/** Calls `run` with a bare server that sends the same response as `svc` for each of its paths. */
export async function withBare<T>(
  folder: string,
  svc: Answered,
  run: (bare: Peer) => Promise<T>,
): Promise<T> {
  const file = join(folder, "bare-answer.json");
  const answers: BareAnswer[] = [];
  for (const path of svc.paths) answers.push(await answerOf(svc, path));
  await Deno.writeTextFile(file, JSON.stringify(answers));
  const port = unusedPort();
  const command: Command = [...await bareCommand(folder), String(port), file];
  const bare = await startPeer({ name: BARE, command, port }, folder);
  try {
    return await run(bare);
  } finally {
    await bare.stop();
  }
}
