/**
 * `deno task bench dev`: the overhead of `svc dev` compared with a project's own dev server, both
 * until the first response and per request. A bare Node server shows the worst case, and a new
 * SvelteKit project a typical one.
 *
 * @module
 */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { nodeVariables } from "../../tests/helpers/node_program.ts";
import { hear } from "../_process.ts";
import { cleanEnvironment, type Command, programCommand } from "../_program.ts";
import { ROOT } from "../_source_files.ts";
import { unusedPort } from "../../src/lib/unused_port.ts";
import { againstMost, formatTable, median } from "./_table.ts";

const START_ROUNDS = 5;
const REQUESTS = 1000;
const PAUSE_MS = 5;
const MOST_START_MS = 120_000;

/** Target for the time added to a request, in milliseconds. */
const AIM_ADDED_MS = 1;

interface Project {
  readonly name: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** The command that starts the project's own dev server on a port. */
  readonly own: (port: number) => Command;
  /** Flags of `svc dev` for this project. */
  readonly flags: readonly string[];
}

interface Started extends AsyncDisposable {
  /** Number of milliseconds until the first response that is not an error. */
  readonly milliseconds: number;
  readonly errors: () => string;
}

const urlOf = (port: number): string => `http://127.0.0.1:${port}/`;

async function answers(port: number): Promise<boolean> {
  // Vite listens only on the first address of `localhost`.
  for (const host of ["127.0.0.1", "[::1]"]) {
    const response = await fetch(`http://${host}:${port}/`).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok === true) return true;
  }
  return false;
}

/** Starts a command, and requests its page until there is a response. */
async function start(
  [program, ...args]: Command,
  port: number,
  { folder, env }: Project,
): Promise<Started> {
  const began = performance.now();
  const child = new Deno.Command(program, {
    args,
    cwd: folder,
    env: { ...env, PORT: String(port) },
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let errors = "";
  const read = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) errors += text;
  })();
  const end = async () => {
    child.kill("SIGTERM");
    await Promise.all([child.status, read]);
  };
  while (!await answers(port)) {
    if (performance.now() - began > MOST_START_MS) {
      await end();
      throw new Error(`${program} ${args.join(" ")} does not respond:\n${errors}`);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  const milliseconds = performance.now() - began;
  return { milliseconds, errors: () => errors, [Symbol.asyncDispose]: end };
}

function startDev(project: Project, port: number): Promise<Started> {
  const [program, ...args] = programCommand();
  const command: Command = [program, ...args, "dev", "--json", "--port", String(port)];
  return start([...command, ...project.flags] as unknown as Command, port, project);
}

async function timeRequest(url: string): Promise<number> {
  const began = performance.now();
  await (await fetch(url)).arrayBuffer();
  return performance.now() - began;
}

const logLine = z.object({ m: z.string() });

/** Returns the port of the project's own server under `svc dev`, from the log. */
function serverPort(log: string): number {
  for (const line of log.trim().split("\n")) {
    const { m } = logLine.parse(JSON.parse(line));
    const [, port] = /^Dev server on port (\d+)/.exec(m) ?? [];
    if (port !== undefined) return Number(port);
  }
  throw new Error(`svc dev did not print its server's port:\n${log}`);
}

/**
 * Alternates requests to the server itself and requests through `svc dev`. Returns the number of
 * milliseconds that each request takes.
 */
async function measureRequests(project: Project) {
  const port = unusedPort();
  await using dev = await startDev(project, port);
  const direct = serverPort(dev.errors());
  const hosts = await Promise.all(["127.0.0.1", "[::1]"].map(async (host) => {
    const url = `http://${host}:${direct}/`;
    return await fetch(url).then((answer) => answer.body?.cancel(), () => false) === false
      ? []
      : [url];
  }));
  const own = hosts.flat()[0]!;
  const times: { readonly own: number[]; readonly through: number[] } = { own: [], through: [] };
  for (let count = -REQUESTS / 5; count < REQUESTS; count++) {
    const [first, second] = [await timeRequest(own), await timeRequest(urlOf(port))];
    if (count < 0) continue;
    times.own.push(first);
    times.through.push(second);
  }
  return { own: median(times.own), through: median(times.through) };
}

async function measureStart(project: Project) {
  const times: { readonly own: number[]; readonly through: number[] } = { own: [], through: [] };
  for (let round = 0; round < START_ROUNDS; round++) {
    const [ownPort, devPort] = [unusedPort(), unusedPort()];
    {
      await using own = await start(project.own(ownPort), ownPort, project);
      times.own.push(own.milliseconds);
    }
    await using dev = await startDev(project, devPort);
    times.through.push(dev.milliseconds);
  }
  return { own: median(times.own), through: median(times.through) };
}

const SERVER = `require("node:http").createServer((_, response) => response.end("ahoy"))
  .listen(process.env.PORT, "127.0.0.1");
`;

async function bareProject(folder: string): Promise<Project> {
  await Deno.mkdir(folder);
  await Deno.writeTextFile(join(folder, "server.cjs"), SERVER);
  return {
    name: "bare Node",
    folder,
    env: cleanEnvironment(folder),
    own: () => ["node", "server.cjs"],
    flags: ["--command", "node server.cjs"],
  };
}

async function frameworkProject(folder: string): Promise<Project> {
  await cp(join(ROOT, "fixtures", "frameworks", "sveltekit"), folder, { recursive: true });
  const path = Deno.env.get("PATH") ?? "";
  const env = { ...cleanEnvironment(folder), ...await nodeVariables(path) };
  const { code, stderr } = await hear(["npm", "install", "--loglevel", "error"], {
    cwd: folder,
    env,
  });
  if (code !== 0) throw new Error(`npm install failed: ${stderr}`);
  const vite = join("node_modules", "vite", "bin", "vite.js");
  return {
    name: "SvelteKit",
    folder,
    env,
    own: (port) => ["node", vite, "dev", "--port", String(port), "--strictPort"],
    flags: ["--command", `node ${vite} dev`],
  };
}

/** Measures both projects, and returns the table. */
export async function benchDev(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "svc-bench-dev-" });
  try {
    const projects = [
      await bareProject(join(folder, "bare")),
      await frameworkProject(join(folder, "sveltekit")),
    ];
    const rows: string[][] = [];
    for (const project of projects) {
      const first = await measureStart(project);
      const request = await measureRequests(project);
      rows.push([
        project.name,
        first.own.toFixed(0),
        first.through.toFixed(0),
        (first.through / first.own).toFixed(2),
        request.own.toFixed(2),
        request.through.toFixed(2),
        againstMost(request.through - request.own, AIM_ADDED_MS),
      ]);
    }
    const start = ["own first response ms", "under dev ms", "ratio"];
    const request = ["own request ms", "through dev ms", "added ms"];
    return `medians of ${START_ROUNDS} starts and ${REQUESTS} requests\n\n` +
      formatTable(["server", ...start, ...request], rows);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
