/**
 * A front edge as users run it: `svc edge --join` as a process.
 *
 * @module
 */
import { makeTestFolder } from "../../src/lib/_test_folder.ts";
import { cleanEnvironment, programCommand } from "../../scripts/_program.ts";
import { type Answer, rawRequest, type TestPlatform } from "./platform.ts";

export interface TestEdge {
  readonly name: string;
  readonly port: number;
  /** The edge's HTTPS port, which is set with `--https-port`. */
  readonly httpsPort: number | undefined;
  readonly key: string;
  readonly cacheDir: string;
  /** Lines on stderr. */
  readonly lines: string[];
  /** Requests a path on a host through the edge. */
  get(host: string, path: string, headers?: Record<string, string>): Promise<Answer>;
  kill(): Promise<void>;
}

async function collectLines(stream: ReadableStream<Uint8Array>, lines: string[]): Promise<void> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const [first = "", ...others] = `${rest}${text}`.split("\n").toReversed();
    rest = first;
    lines.push(...others.toReversed());
  }
}

export interface EdgeOptions {
  readonly name: string;
  readonly key: string;
  /** URL of the platform. */
  readonly join: string;
  readonly cacheDir?: string;
  /** Port to listen on; a free port by default. */
  readonly port?: number;
  readonly args?: readonly string[];
}

/** Starts a front edge with an existing key. */
export async function startEdge(
  { name, key, join, port: wanted = 0, args = [], ...given }: EdgeOptions,
): Promise<TestEdge> {
  const home = await makeTestFolder("svc-edge-");
  const cacheDir = given.cacheDir ?? `${home}/files`;
  const [program, ...before] = programCommand();
  const child = new Deno.Command(program, {
    args: [
      ...before,
      "edge",
      "--json",
      "--join",
      join,
      "--port",
      String(wanted),
      "--cache-dir",
      cacheDir,
      ...args,
    ],
    env: { ...cleanEnvironment(home), SVC_EDGE_KEY: key },
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const lines: string[] = [];
  const ended = collectLines(child.stderr, lines);
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await reader.read();
  const { url, httpsUrl } = value === "" ? {} : JSON.parse(value);
  if (url === undefined) {
    await reader.cancel();
    await Promise.all([child.status, ended]);
    throw new Error(`svc edge did not start: ${value}${lines.join("\n")}`);
  }
  const port = Number(new URL(url).port);
  return {
    name,
    port,
    httpsPort: httpsUrl === undefined ? undefined : Number(new URL(httpsUrl).port),
    key,
    cacheDir,
    lines,
    get: (host, path, headers = {}) => rawRequest(port, { host, path, headers }),
    async kill() {
      child.kill("SIGKILL");
      await child.status;
      await reader.cancel();
      await ended;
      await Deno.remove(home, { recursive: true });
    },
  };
}

/** Adds a front edge to a platform and starts it. */
export async function addEdge(
  platform: TestPlatform,
  name: string,
  { join = `http://127.0.0.1:${platform.port}`, ...options }: Partial<EdgeOptions> = {},
): Promise<TestEdge> {
  const { status, json } = await platform.api("POST", "/v1/edges", { json: { name } });
  if (status !== 201) throw new Error(JSON.stringify(json));
  return await startEdge({ ...options, name, key: json.key, join });
}
