/**
 * A network namespace for one node, with a virtual cable to the servers on this machine. While the
 * cable is unplugged, packets are lost, and connections hang rather than being refused. Clients
 * reach the node through a socket in the file system, which namespaces share.
 *
 * @module
 */
import { join } from "node:path";
import { hear } from "../../../scripts/_process.ts";
import { startTcpWays, type TcpRoute } from "./balancer.ts";
import type { Child } from "./child.ts";

/**
 * Returns the start of a node's addresses, in the range that is reserved for benchmarking network
 * devices (RFC 2544, section C.2.2) and otherwise unused.
 */
const networkOf = (id: number) => `198.18.${id}`;

async function run(...command: readonly [string, ...string[]]): Promise<void> {
  const { code, stderr } = await hear(command);
  if (code !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
}

/** Whether this process is allowed to create network namespaces. */
export async function canMakeNamespaces(): Promise<boolean> {
  const name = `svc-try-${Deno.pid}`;
  try {
    await run("ip", "netns", "add", name);
    await run("ip", "netns", "delete", name);
    return true;
  } catch {
    return false;
  }
}

export class Cable implements AsyncDisposable {
  readonly #name: string;
  readonly #ways: readonly Child[];

  private constructor(
    name: string,
    /** The address at which the namespace reaches this machine's servers. */
    readonly host: string,
    ways: readonly Child[],
  ) {
    this.#name = name;
    this.#ways = ways;
  }

  /** Creates the namespace. Servers have the same ports there as on this machine. */
  static async start(
    folder: string,
    { node, servers }: { readonly node: number; readonly servers: readonly number[] },
  ): Promise<Cable> {
    const id = 1 + Math.floor(Math.random() * 254);
    const [name, network] = [`svc-${id}`, networkOf(id)];
    const host = `${network}.1`;
    await run("ip", "netns", "add", name);
    const ways: Child[] = [];
    const cable = new Cable(name, host, ways);
    try {
      const peer = `${name}-n`;
      await run("ip", "link", "add", name, "type", "veth", "peer", "name", peer, "netns", name);
      await run("ip", "address", "add", `${host}/30`, "dev", name);
      await run("ip", "link", "set", name, "up");
      const within = ["ip", "-n", name] as const;
      await run(...within, "link", "set", "lo", "up");
      await run(...within, "address", "add", `${network}.2/30`, "dev", peer);
      await run(...within, "link", "set", peer, "up");
      const socket = join(folder, `${name}.sock`);
      const inside = [{ from: `unix@${socket}`, to: `127.0.0.1:${node}` }];
      const outside: TcpRoute[] = [
        { from: `127.0.0.1:${node}`, to: `unix@${socket}` },
        ...servers.map((port) => ({ from: `${host}:${port}`, to: `127.0.0.1:${port}` })),
      ];
      ways.push(await startTcpWays(folder, inside, { prefix: cable.within }));
      ways.push(await startTcpWays(folder, outside, { port: node }));
    } catch (error) {
      await cable[Symbol.asyncDispose]();
      throw error;
    }
    return cable;
  }

  /** The start of a command line that runs a program in the namespace. */
  get within(): readonly [string, ...string[]] {
    return ["ip", "netns", "exec", this.#name];
  }

  /** Unplugs the cable at the end opposite the node. */
  pull(): Promise<void> {
    return run("ip", "link", "set", this.#name, "down");
  }

  plug(): Promise<void> {
    return run("ip", "link", "set", this.#name, "up");
  }

  async [Symbol.asyncDispose]() {
    for (const way of this.#ways) await way.kill();
    await run("ip", "netns", "delete", this.#name);
  }
}
