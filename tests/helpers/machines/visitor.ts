/**
 * A visitor who continuously requests a static site that is already loaded, over new connections or
 * a reused one, and records failures.
 *
 * @module
 */
import { Agent } from "node:http";
import { fetchByHost } from "../../../scripts/_fetch_by_host.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { createProject, deploy } from "../platform.ts";
import type { Machines } from "./machines.ts";

const TEXT = "<h1>always here</h1>";
const HOST = "always.localhost";
const AT_ONCE = 4;

/** A request that failed. Times are values from `performance.now()`. */
export interface Failure {
  readonly began: number;
  readonly ended: number;
  readonly reason: string;
  /** The node to which the load balancer sent the request, if known. */
  readonly node: string | undefined;
}

export interface Visitor {
  readonly served: number;
  readonly failures: readonly Failure[];
  stop(): Promise<void>;
}

/**
 * Deploys a site that never changes, waits until each node serves it, and then requests it until
 * stopped.
 */
export async function startVisitor(
  machines: Machines,
  { keepsConnections = false }: { readonly keepsConnections?: boolean } = {},
): Promise<Visitor> {
  if ((await machines.api("GET", "/v1/projects/always")).status === 404) {
    const { id } = await createProject(machines, "always");
    await deploy(machines, id, { files: { "index.html": TEXT } });
  }
  for (const { port } of machines.nodes) {
    await until(async () => (await fetchByHost({ port, host: HOST, path: "/" })).text === TEXT);
  }
  let served = 0;
  let isOver = false;
  const failures: Failure[] = [];
  const agent = keepsConnections ? new Agent({ keepAlive: true, maxSockets: AT_ONCE }) : undefined;
  const visit = async (): Promise<void> => {
    const began = performance.now();
    const fail = (reason: string, node?: string) =>
      void failures.push({ began, ended: performance.now(), reason, node });
    try {
      const { port } = machines;
      const request = { port, host: HOST, path: "/", ...(agent === undefined ? {} : { agent }) };
      const { status, text, headers } = await fetchByHost(request);
      if (status === 200 && text === TEXT) served++;
      else fail(`${status} ${text.slice(0, 200)}`, String(headers["x-answered-by"]));
    } catch (error) {
      fail(String(error));
    }
  };
  const running = Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (!isOver) {
      await visit();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }));
  return {
    get served() {
      return served;
    },
    failures,
    async stop() {
      isOver = true;
      await running;
      agent?.destroy();
    },
  };
}
