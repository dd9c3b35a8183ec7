/**
 * Three PostgreSQL servers under Patroni, with etcd, as in docs/scaling.md. A standby has
 * everything that the primary acknowledges. Each server is a "machine": a process namespace whose
 * processes can all be killed at once.
 *
 * @module
 */
import { join } from "node:path";
import postgres from "postgres";
import { until } from "../../../src/lib/_test_until.ts";
import { hear } from "../../../scripts/_process.ts";
import { Child } from "./child.ts";
import { freePorts } from "./ports.ts";

const PASSWORD = "patroni-test-password";
const ROLE = "svc";
const USER = "postgres";
/**
 * Maximum time to wait for a state, in milliseconds. On a busy machine, setting up three servers
 * takes a long time.
 */
const PATIENCE_MS = 90_000;

interface Member {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
  readonly file: string;
  child: Child | undefined;
}

/**
 * The minimum times that Patroni allows. With these, the failover takes place 20 seconds after a
 * primary's last sign of life.
 */
const BOOTSTRAP = `
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 2
    retry_timeout: 4
    synchronous_mode: true
    synchronous_mode_strict: true
    postgresql:
      use_pg_rewind: true
      parameters:
        max_connections: 100
        shared_buffers: 64MB
        wal_keep_size: 256MB
  initdb:
    - encoding: UTF8
    - data-checksums
`;

const memberFile = (
  { folder, etcd, bin, name, port, restPort }:
    & Pick<Member, "name" | "port" | "restPort">
    & { readonly folder: string; readonly etcd: number; readonly bin: string },
) => `
scope: svc
name: ${name}
etcd3:
  hosts: 127.0.0.1:${etcd}
restapi:
  listen: 127.0.0.1:${restPort}
  connect_address: 127.0.0.1:${restPort}
${BOOTSTRAP}
postgresql:
  listen: 127.0.0.1:${port}
  connect_address: 127.0.0.1:${port}
  data_dir: ${folder}/data
  bin_dir: ${bin}
  pgpass: ${folder}/pgpass
  parameters:
    unix_socket_directories: ${folder}
  pg_hba:
    - local all all trust
    - host replication all 127.0.0.1/32 scram-sha-256
    - host all all 127.0.0.1/32 scram-sha-256
  authentication:
    superuser: { username: postgres, password: ${PASSWORD} }
    replication: { username: replicator, password: ${PASSWORD} }
    rewind: { username: rewinder, password: ${PASSWORD} }
`;

/** Returns the program folder of the newest PostgreSQL version that is installed from Debian. */
async function findBin(): Promise<string> {
  const versions = await Array.fromAsync(Deno.readDir("/usr/lib/postgresql"));
  const newest = Math.max(...versions.map(({ name }) => Number(name)));
  return `/usr/lib/postgresql/${newest}/bin`;
}

/**
 * Returns a command line that runs a command in its own process namespace. All processes in the
 * namespace are killed when the first one exits, and the first one exits with this test.
 */
const asMachine = (...command: readonly string[]): [string, ...string[]] => [
  ...["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"] as [string, ...string[]],
  "setpriv",
  `--reuid=${USER}`,
  `--regid=${USER}`,
  "--init-groups",
  "--pdeathsig=KILL",
  ...command,
];

export class Patroni implements AsyncDisposable {
  readonly #members: readonly Member[];
  readonly #etcd: Child;

  private constructor(members: readonly Member[], etcd: Child) {
    this.#members = members;
    this.#etcd = etcd;
  }

  /** Starts three servers, with a role and a database for svc. */
  static async start(top: string): Promise<Patroni> {
    const folder = join(top, "patroni");
    await Deno.mkdir(folder);
    const [client, peer, ...ports] = freePorts(8) as [number, number, ...number[]];
    const etcd = await startEtcd(folder, client, peer);
    const members: Member[] = [];
    const bin = await findBin();
    for (let index = 0; index < 3; index++) {
      const [name, port, restPort] = [`pg${index + 1}`, ports[index]!, ports[index + 3]!];
      const own = join(folder, name);
      await Deno.mkdir(own);
      const file = join(own, "patroni.yml");
      const text = memberFile({ folder: own, etcd: client, bin, name, port, restPort });
      await Deno.writeTextFile(file, text, { mode: 0o640 });
      members.push({ name, port, restPort, file, child: undefined });
    }
    // PostgreSQL servers refuse to run as root.
    await hear(["chown", "-R", `${USER}:${USER}`, folder]);
    const patroni = new Patroni(members, etcd);
    try {
      await patroni.#begin();
    } catch (error) {
      const said = members.map(({ child }) => child?.said.slice(-2000)).join("\n");
      await patroni[Symbol.asyncDispose]();
      throw new Error(`Cannot start Patroni: ${said}`, { cause: error });
    }
    return patroni;
  }

  get names(): readonly string[] {
    return this.#members.map(({ name }) => name);
  }

  get ports(): readonly number[] {
    return this.#members.map(({ port }) => port);
  }

  readonly password = PASSWORD;

  /**
   * Returns the value of `--kv` for the records. From another network, the server is reached
   * through `host`.
   */
  place(host?: string): string {
    const hosts = this.ports.map((port) => `${host ?? "127.0.0.1"}:${port}`).join(",");
    return `postgres://${ROLE}@${hosts}/${ROLE}${host === undefined ? "" : "?sslmode=disable"}`;
  }

  /** Runs SQL on the primary as the superuser. */
  async runSql(text: string, database = ROLE): Promise<postgres.RowList<postgres.Row[]>> {
    const name = await this.primary();
    const { port } = this.#member(name);
    const sql = postgres({
      host: "127.0.0.1",
      port,
      user: USER,
      password: PASSWORD,
      database,
      max: 1,
      fetch_types: false,
      connect_timeout: 5,
    });
    try {
      return await sql.unsafe(text);
    } finally {
      await sql.end({ timeout: 5 });
    }
  }

  /** Waits until a primary accepts writes. Returns its name. */
  async primary(except?: string): Promise<string> {
    let found: string | undefined;
    await this.#settles(async () => {
      for (const { name, restPort } of this.#members) {
        if (name !== except && await isOk(restPort, "/primary")) found = name;
      }
      return found !== undefined;
    });
    return found!;
  }

  /**
   * Waits until a standby is synchronous and etcd knows that, so that the standby can take over.
   */
  async hasSynchronousStandby(): Promise<void> {
    await this.#settles(async () => {
      const roles = await this.roles(await this.primary());
      return roles.includes("leader") && roles.includes("sync_standby");
    });
  }

  /** Returns the roles of all members, according to one of them. */
  async roles(name: string): Promise<readonly string[]> {
    return (await clusterOf(this.#member(name).restPort)).map(({ role }) => role);
  }

  /** Stops a server's machine, as in a power cut. */
  async kill(name: string): Promise<void> {
    const member = this.#member(name);
    await member.child?.kill();
    member.child = undefined;
  }

  async start(name: string): Promise<void> {
    const member = this.#member(name);
    if (member.child !== undefined) return;
    member.child = await Child.start(asMachine("patroni", member.file));
  }

  pause(name: string): Promise<void> {
    return this.#member(name).child!.pause();
  }

  resume(name: string): Promise<void> {
    return this.#member(name).child!.resume();
  }

  async [Symbol.asyncDispose]() {
    for (const { name } of this.#members) await this.kill(name);
    await this.#etcd.kill();
  }

  /** Waits until the three servers reach a state. If they do not, reports their last output. */
  async #settles(read: () => Promise<boolean>): Promise<void> {
    try {
      await until(read, Boolean, PATIENCE_MS);
    } catch (cause) {
      const said = this.#members.map(({ name, child }) => `${name}:\n${child?.said.slice(-3000)}`);
      throw new Error(`Patroni does not reach the expected state:\n${said.join("\n")}`, { cause });
    }
  }

  #member(name: string): Member {
    return this.#members.find((member) => member.name === name)!;
  }

  async #begin(): Promise<void> {
    const [first, ...others] = this.names as [string, ...string[]];
    await this.start(first);
    await this.primary();
    for (const name of others) await this.start(name);
    await this.hasSynchronousStandby();
    await this.runSql(`CREATE ROLE ${ROLE} LOGIN PASSWORD '${PASSWORD}'`, "postgres");
    await this.runSql(`CREATE DATABASE ${ROLE} OWNER ${ROLE}`, "postgres");
  }
}

/** Returns the members according to etcd; empty if the server does not respond. */
async function clusterOf(port: number): Promise<readonly { readonly role: string }[]> {
  try {
    const signal = AbortSignal.timeout(1000);
    return (await (await fetch(`http://127.0.0.1:${port}/cluster`, { signal })).json()).members;
  } catch {
    return [];
  }
}

async function isOk(port: number, path: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(1000);
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}

async function startEtcd(folder: string, client: number, peer: number): Promise<Child> {
  const url = (port: number) => `http://127.0.0.1:${port}`;
  return await Child.start([
    ...["etcd", "--name", "e", "--data-dir", join(folder, "etcd")] as [string, ...string[]],
    "--listen-client-urls",
    url(client),
    "--advertise-client-urls",
    url(client),
    "--listen-peer-urls",
    url(peer),
    "--initial-advertise-peer-urls",
    url(peer),
    "--initial-cluster",
    `e=${url(peer)}`,
  ], { ready: { port: client } });
}
