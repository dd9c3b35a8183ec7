/**
 * Production's servers on other nodes. A server starts on the node where its requests arrive.
 *
 * @module
 */
import * as z from "zod";
import { askAll, type Peers } from "../core/peers/mod.ts";
import type { ComputeService } from "../compute/mod.ts";

const health = z.discriminatedUnion("state", [
  z.object({ state: z.literal("idle") }),
  z.object({ state: z.literal("healthy") }),
  z.object({ state: z.literal("unhealthy"), reason: z.string() }),
]);

/** A check of a deployment's servers on one node. */
const checked = z.object({
  owner: z.object({
    id: z.string(),
    projectId: z.string(),
    projectName: z.string(),
    workspaceId: z.string(),
  }),
  health,
});
export type Checked = z.infer<typeof checked>;

interface ServersElsewhereOptions {
  readonly peers: Peers;
  readonly computeService: Pick<ComputeService, "all" | "find">;
  readonly closing: AbortSignal;
}

export class ServersElsewhere {
  readonly #options: ServersElsewhereOptions;

  constructor(options: ServersElsewhereOptions) {
    this.#options = options;
    const { peers, computeService } = options;
    peers.answer("servers.check", z.null(), async function* () {
      for (const servers of computeService.all()) {
        const { id, projectId, projectName, workspaceId } = servers.owner;
        const owner = { id, projectId, projectName, workspaceId };
        yield { owner, health: await servers.check() };
      }
    });
    peers.answer("servers.find", z.object({ id: z.uuid() }), async function* ({ id }) {
      const found = await computeService.find(id)?.check();
      yield found?.state === "healthy";
    });
  }

  /** Collects the server checks of other nodes. Leaves out nodes that do not respond. */
  async all(): Promise<readonly Checked[]> {
    const { peers, closing } = this.#options;
    const { answers } = await askAll(peers, {
      name: "servers.check",
      data: () => null,
      schema: checked,
      withLost: false,
      closing,
    });
    return [...answers].flatMap(([node, found]) =>
      found.map(({ owner, health }) => ({ owner, health: named(node, health) }))
    );
  }

  /** Returns whether a deployment's servers work on another node. */
  async find(id: string): Promise<boolean> {
    const { peers, closing } = this.#options;
    const { answers } = await askAll(peers, {
      name: "servers.find",
      data: () => ({ id }),
      schema: z.boolean(),
      withLost: false,
      closing,
    });
    return [...answers.values()].flat().includes(true);
  }
}

/** Adds the node's name to the reason why its servers do not work. */
function named(node: string, found: Checked["health"]): Checked["health"] {
  if (found.state !== "unhealthy") return found;
  return { state: "unhealthy", reason: `On node ${node}: ${found.reason}` };
}
