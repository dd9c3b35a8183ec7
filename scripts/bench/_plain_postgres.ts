/**
 * A PostgreSQL from Debian with default settings, for comparison: a cluster in a temporary folder,
 * on the loopback address.
 *
 * @module
 */
import { join } from "node:path";
import pg from "pg";
import { hear } from "../_process.ts";
import { unusedPort } from "../../src/lib/unused_port.ts";

/** Debian keeps each version's programs in a separate folder. */
const VERSIONS = "/usr/lib/postgresql";
const ROLE = "bench";
const PASSWORD = "bench";
const START_LIMIT_MS = 30_000;

/** Returns the newest version that is installed, such as 15. */
export function newestVersion(): number {
  const names = [...Deno.readDirSync(VERSIONS)].map(({ name }) => Number(name));
  return Math.max(...names.filter(Number.isInteger));
}

/** Returns the folder with the newest version's programs. */
export function findPrograms(): string {
  return join(VERSIONS, String(newestVersion()), "bin");
}

interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

/** Finds the user that runs the server, because PostgreSQL refuses to run as root. */
async function findOwner(): Promise<Owner> {
  if (Deno.uid() !== 0) return {};
  const [uid, gid] = await Promise.all(
    ["-u", "-g"].map(async (flag) => Number((await hear(["id", flag, "postgres"])).stdout)),
  );
  return { uid: uid!, gid: gid! };
}

export interface PlainPostgres {
  readonly pid: number;
  url(database: string): string;
  /** Runs a statement as the role that owns everything. */
  run(sql: string): Promise<void>;
  stop(): Promise<void>;
}

async function makeCluster(folder: string, owner: Owner): Promise<string> {
  const data = join(folder, "data");
  const passwordFile = join(folder, "password");
  await Deno.writeTextFile(passwordFile, PASSWORD);
  const { success, stderr } = await new Deno.Command(join(findPrograms(), "initdb"), {
    args: [
      `--pgdata=${data}`,
      `--username=${ROLE}`,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C.UTF-8",
    ],
    cwd: "/",
    stdin: "null",
    stdout: "null",
    stderr: "piped",
    ...owner,
  }).output();
  if (!success) throw new Error(`initdb: ${new TextDecoder().decode(stderr)}`);
  return data;
}

/** Runs one statement in its own session. */
export async function runOnce(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Creates a cluster in an empty folder, starts its server and waits until it responds. */
export async function startPlainPostgres(folder: string): Promise<PlainPostgres> {
  const owner = await findOwner();
  if (owner.uid !== undefined) await Deno.chown(folder, owner.uid, owner.gid!);
  const data = await makeCluster(folder, owner);
  const port = unusedPort();
  const child = new Deno.Command(join(findPrograms(), "postgres"), {
    args: ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", ""],
    cwd: "/",
    stdin: "null",
    stdout: "null",
    stderr: "null",
    ...owner,
  }).spawn();
  let ended = false;
  const status = child.status.then(() => ended = true);
  const stop = async () => {
    if (!ended) child.kill("SIGINT");
    await status;
  };
  const url = (database: string) => `postgres://${ROLE}:${PASSWORD}@127.0.0.1:${port}/${database}`;
  const run = (sql: string) => runOnce(url("postgres"), sql);
  const deadline = Date.now() + START_LIMIT_MS;
  for (;;) {
    try {
      await run("SELECT 1");
      return { pid: child.pid, url, run, stop };
    } catch (cause) {
      if (ended || Date.now() > deadline) {
        await stop();
        throw new Error("Cannot start the plain PostgreSQL", { cause });
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
