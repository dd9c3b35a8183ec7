/**
 * Wires up traffic statistics: collects, stores and reports the edge's counts.
 *
 * @module
 */
import * as z from "zod";
import { endpoints } from "../../contract/endpoints.ts";
import { uuidV7 } from "../../lib/ids.ts";
import { messageOf } from "../../lib/error_message.ts";
import { startRounds } from "../../lib/rounds.ts";
import {
  type CountedRequest,
  type CountedVitals,
  type DeploymentCounts,
  TrafficCounter,
} from "../../traffic/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { askAll, missingNodes } from "../core/peers/mod.ts";
import { deleteKeys } from "../core/store/mod.ts";
import type { DeploymentStore } from "../deployments/mod.ts";
import { type EnvironmentStore, findEnvironmentName } from "../environments/mod.ts";
import { findProject, type ProjectStore } from "../projects/mod.ts";
import { stepsOf } from "./periods.ts";
import { reportTraffic } from "./report.ts";
import { TrafficBook } from "./traffic_book.ts";
import { TrafficCollector } from "./traffic_collector.ts";
import { TrafficStore } from "./traffic_store.ts";

/**
 * How often counts are collected from the edge, in milliseconds, and after how many collections the
 * counts are written.
 */
const COLLECT_MS = 10_000;
const COLLECTIONS_PER_SAVE = 6;

export interface Traffic {
  /** Counts a request that the edge received. */
  readonly count: (request: CountedRequest) => void;
  /** Records measurements from a visitor's browser. */
  readonly countVitals: (measured: CountedVitals) => void;
  /** Adds a listener that receives all counts when they are collected. */
  onCounts(listen: (counts: readonly DeploymentCounts[]) => void): void;
  /** Collects the edge's current counts. */
  collect(): Promise<void>;
  readonly capability: Capability;
}

interface TrafficParts {
  readonly projects: ProjectStore;
  readonly environments: EnvironmentStore;
  readonly deployments: Pick<DeploymentStore, "find">;
}

export function createTraffic(
  { kv, now, random, peers, closing, onTrouble }: Pick<
    Foundation,
    "kv" | "now" | "random" | "peers" | "closing" | "onTrouble"
  >,
  { projects, environments, deployments }: TrafficParts,
): Traffic {
  const onError = (error: unknown) => onTrouble(`Cannot store traffic: ${messageOf(error)}`);
  const store = new TrafficStore(kv, random);
  const counter = new TrafficCounter({ salt: (day) => store.salt(day), onError });
  const book = new TrafficBook({
    write: (part, counts) => store.write(part, counts),
    partName: () => uuidV7(now, random),
  });
  const listeners: ((counts: readonly DeploymentCounts[]) => void)[] = [];
  const onCounts = (counts: readonly DeploymentCounts[]) => {
    for (const listen of listeners) listen(counts);
  };
  const collector = new TrafficCollector({ deployments, counter, book, onCounts, now });
  let collections = 0;
  let rounds: ReturnType<typeof startRounds> | undefined;
  async function round(): Promise<void> {
    await collector.collect();
    if (++collections % COLLECTIONS_PER_SAVE === 0) await book.save(now());
  }
  const save = async (projectId: string) => {
    await collector.collect();
    await book.save(now(), projectId);
  };
  peers.answer("traffic.save", z.object({ projectId: z.uuid() }), async function* (asked) {
    await save(asked.projectId);
    yield true;
  });
  /** Makes all nodes store their counts. Returns the nodes that failed to do so. */
  const saveAll = async (projectId: string) => {
    const asked = { name: "traffic.save", data: () => ({ projectId }), schema: z.literal(true) };
    const [{ silent }] = await Promise.all([
      askAll(peers, { ...asked, closing, withLost: false }),
      save(projectId),
    ]);
    return silent;
  };
  return {
    count: counter.count,
    countVitals: counter.countVitals,
    onCounts: (listen) => void listeners.push(listen),
    collect: () => collector.collect(),
    capability: {
      name: "traffic",
      bindRoutes(router) {
        router.guarded(endpoints.getTraffic, async (caller, { params, query }) => {
          const project = await findProject(projects, caller, params.project);
          const { range } = query;
          const environment = await findEnvironmentName(environments, project, query.environment);
          const silent = await saveAll(project.id);
          const steps = stepsOf(range, now(), project.createdAt);
          const found = store.read({
            projectId: project.id,
            environment,
            unit: steps.unit,
            start: steps.starts[0]!,
          });
          const report = await reportTraffic(found, { range, environment, steps });
          return { ...report, ...missingNodes(silent) };
        });
      },
      recover: () => Promise.resolve(counter.prepare(now())),
      whenListening() {
        const run = round;
        rounds = startRounds({ firstMs: COLLECT_MS, everyMs: COLLECT_MS, run, onError });
      },
      async close() {
        await rounds?.close();
        await collector.collect().then(() => book.save(now())).catch(onError);
      },
      forgetProject: (projectId) => Promise.resolve(book.forget(projectId)),
      projectKeys: (projectId) => store.keysOf(projectId),
      async removeEnvironment({ projectId, name }) {
        book.forget(projectId, name);
        await deleteKeys(kv, store.keysOf(projectId, name));
      },
    },
  };
}
