/**
 * `deno task bench start`: the program's time to its first output, compared with bare Node in the
 * same run, and the memory of an idle platform. Rounds alternate between all commands, and the
 * minimum of each command counts, because other load only adds to its time.
 *
 * @module
 */
import { join } from "node:path";
import { isInstalled } from "../_process.ts";
import { cleanEnvironment, type Command, programCommand, startProgram } from "../_program.ts";
import { againstMost, formatTable, median } from "./_table.ts";

const ROUNDS = 20;
const SERVE_ROUNDS = 5;
const DEPLOY_ROUNDS = 10;
/** A platform counts as idle once the garbage from its start has been collected. */
const IDLE_AFTER_MS = 30_000;

/** Targets: relative to Node, and in milliseconds and megabytes. */
const [AIM_OF_NODE, AIM_READY_MS, AIM_IDLE_MB] = [1, 300, 95];
/**
 * The commands that are compared with Node. Other commands are compared with an empty compiled
 * program.
 */
const AIMED: ReadonlySet<string> = new Set(["svc whoami", "svc kv get greeting"]);

interface Place {
  readonly cwd: string;
  readonly env: Record<string, string>;
}

/** Returns the number of milliseconds from the start of a process until it exits. */
async function time([program, ...args]: Command, { cwd, env }: Place): Promise<number> {
  const started = performance.now();
  const { success, stderr } = await new Deno.Command(program, {
    args,
    cwd,
    env,
    clearEnv: true,
    stdin: "null",
    stdout: "null",
  }).output();
  const taken = performance.now() - started;
  if (success) return taken;
  throw new Error(`${program} ${args.join(" ")} failed: ${new TextDecoder().decode(stderr)}`);
}

/**
 * Returns the number of milliseconds from the start of a complete deploy to its first line of
 * output.
 */
async function timeToFirstLine([program, ...args]: Command, { cwd, env }: Place): Promise<number> {
  const started = performance.now();
  const child = new Deno.Command(program, {
    args,
    cwd,
    env,
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let first: number | undefined;
  let said = "";
  for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
    first ??= performance.now() - started;
    said += text;
  }
  if ((await child.status).success && first !== undefined) return first;
  throw new Error(`${program} ${args.join(" ")} failed: ${said}`);
}

/**
 * Returns the times until deploys of a page print their first line. These deploys use a separate
 * project.
 */
async function measureDeploy(svc: Command, place: Place): Promise<readonly number[]> {
  const cwd = join(place.cwd, "site");
  await Deno.mkdir(cwd);
  await Deno.writeTextFile(join(cwd, "index.html"), "<h1>hello</h1>");
  await time([...svc, "projects", "create", "--name", "demo"], place);
  const times: number[] = [];
  for (let round = 0; round < DEPLOY_ROUNDS; round++) {
    times.push(
      await timeToFirstLine([...svc, "deploy", "--project-id", "demo"], { ...place, cwd }),
    );
  }
  return times;
}

/** Returns the times of each command, keyed by its name. Every round includes all commands. */
async function race(
  commands: ReadonlyMap<string, Command>,
  place: Place,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const times = new Map([...commands.keys()].map((name) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, command] of commands) times.get(name)!.push(await time(command, place));
  }
  return times;
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024 / 1e6;
}

/**
 * Measures how long platforms take to get ready on an existing data directory, and how much memory
 * the last one uses.
 */
async function measureServe(dataDir: string, { env }: Place) {
  const ready: number[] = [];
  let idle = 0;
  for (let round = 0; round < SERVE_ROUNDS; round++) {
    const started = performance.now();
    const platform = await startProgram({ dataDir, env });
    ready.push(performance.now() - started);
    if (round === SERVE_ROUNDS - 1) {
      await new Promise((resolve) => setTimeout(resolve, IDLE_AFTER_MS));
      idle = await residentMegabytes(platform.pid);
    }
    await platform.stop();
  }
  return { ready, idle };
}

function describeReady(times: readonly number[]): string {
  const least = Math.min(...times);
  return `serve ready on its data directory: ${least.toFixed(0)} ms minimum, ` +
    `${median(times).toFixed(0)} median, ${againstMost(least / AIM_READY_MS, 1)}`;
}

/** Runs the commands and the platform in a separate home folder, and returns the tables. */
export async function benchStart(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "svc-bench-start-" });
  // The variable is left out. Otherwise, Node would read this certificate file at each start, which
  // would take most of the time.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = cleanEnvironment(folder);
  const dataDir = join(folder, "data");
  const platform = await startProgram({ dataDir, env });
  try {
    const place = {
      cwd: folder,
      env: { ...env, SVC_API_URL: platform.url, SVC_TOKEN: platform.token ?? "" },
    };
    const svc = programCommand();
    const commands = new Map<string, Command>([
      ...(isInstalled("node") ? [["node -e 0", ["node", "-e", "0"]] as const] : []),
      ...["--version", "--help", "whoami", "kv set greeting hello", "kv get greeting"].map((line) =>
        [`svc ${line}`, [...svc, ...line.split(" ")]] as readonly [string, Command]
      ),
    ]);
    const times = await race(commands, place);
    const deploys = await measureDeploy(svc, place);
    await platform.stop();
    const node = times.get("node -e 0");
    const rows = [...times].map(([name, taken]) => {
      const least = Math.min(...taken);
      const ratio = node === undefined ? undefined : least / Math.min(...node);
      const shown = ratio === undefined
        ? ""
        : AIMED.has(name)
        ? againstMost(ratio, AIM_OF_NODE)
        : ratio.toFixed(2);
      return [name, least.toFixed(1), median(taken).toFixed(1), shown];
    });
    const { ready, idle } = await measureServe(dataDir, { cwd: folder, env });
    return [
      formatTable(["command", "minimum ms", "median ms", "minimum / node -e 0"], rows),
      `deploy to its first line: ${Math.min(...deploys).toFixed(0)} ms minimum, ` +
      `${median(deploys).toFixed(0)} median`,
      describeReady(ready),
      `serve idle, after ${IDLE_AFTER_MS / 1000} s: ${idle.toFixed(0)} MB, ${
        againstMost(idle / AIM_IDLE_MB, 1)
      }`,
    ].join("\n");
  } finally {
    await platform.kill();
    await Deno.remove(folder, { recursive: true });
  }
}
