import assert from "node:assert/strict";
import { until } from "../../../lib/_test_until.ts";
import { keys } from "../../core/store/keys.ts";
import { BuildQueue } from "./build_queue.ts";
import type { BuildRecord } from "./build_record.ts";
import { BuildStore } from "./build_store.ts";
import type { BuildEnd } from "./build_worker.ts";
import { DenoStore, type RecordStore } from "../../../store/mod.ts";

const PROJECT = "p1";

function record(id: string): BuildRecord {
  return {
    id,
    projectId: PROJECT,
    workspaceId: "w1",
    branch: id,
    commitSha: id.repeat(40),
    environment: "preview",
    state: "QUEUED",
    place: id.charCodeAt(0),
    attempts: 0,
    error: null,
    queuedAt: 0,
    startedAt: null,
    finishedAt: null,
  };
}

/** A node's queue. Each build waits until its gate is open or the build is aborted. */
class TestNode {
  readonly begun: string[] = [];
  readonly gate = Promise.withResolvers<BuildEnd>();
  readonly queue: BuildQueue;
  look: () => void = () => {};

  constructor(
    builds: BuildStore,
    { instance, alive, unwanted, concurrency = 1 }: {
      readonly instance: string;
      readonly alive: Set<string>;
      readonly unwanted: Set<string>;
      readonly concurrency?: number;
    },
  ) {
    alive.add(instance);
    this.queue = new BuildQueue({
      builds,
      concurrency,
      nodes: {
        id: instance,
        instance,
        isAlive: (other) => Promise.resolve(alive.has(other)),
        onDeath: (look) => this.look = look,
      },
      isWanted: ({ id }) => Promise.resolve(!unwanted.has(id)),
      worker: {
        perform: async ({ id }, signal) => {
          this.begun.push(id);
          const aborted = Promise.withResolvers<BuildEnd>();
          const end = { state: "CANCELLED", error: null } as const;
          signal.addEventListener("abort", () => aborted.resolve(end));
          return await Promise.race([this.gate.promise, aborted.promise]);
        },
        giveUp: (_, error) => Promise.resolve({ state: "FAILED", error }),
      },
      now: () => 1000,
      onTrouble: assert.fail,
    });
  }
}

async function withNodes(
  run: (parts: {
    readonly kv: RecordStore;
    readonly builds: BuildStore;
    readonly alive: Set<string>;
    readonly unwanted: Set<string>;
    node(instance: string, concurrency?: number): Promise<TestNode>;
    store(id: string): Promise<void>;
    stateOf(id: string): Promise<string | undefined>;
  }) => Promise<void>,
): Promise<void> {
  const kv = await DenoStore.open(":memory:");
  const [alive, unwanted, started]: [Set<string>, Set<string>, TestNode[]] = [
    new Set(),
    new Set(),
    [],
  ];
  const builds = new BuildStore(kv);
  try {
    await run({
      kv,
      builds,
      alive,
      unwanted,
      async node(instance, concurrency = 1) {
        const node = new TestNode(new BuildStore(kv), {
          instance,
          alive,
          unwanted,
          concurrency,
        });
        started.push(node);
        await node.queue.start();
        return node;
      },
      async store(id) {
        await kv.set(keys.build(PROJECT, id), record(id));
        await kv.set(keys.buildTicket(record(id).place), { projectId: PROJECT, id });
      },
      stateOf: async (id) => (await builds.find(PROJECT, id))?.state,
    });
  } finally {
    for (const { queue } of started) await queue.close();
    kv.close();
  }
}

const changed = (id: string) => [keys.build(PROJECT, id)];
const SUCCEEDED: BuildEnd = { state: "SUCCEEDED", error: null };

Deno.test("nodes run builds at the same time, but never the build of another living node", () =>
  withNodes(async ({ node, store, stateOf }) => {
    await store("a");
    await store("b");
    const first = await node("n1");
    await until(async () => await stateOf("a") === "RUNNING");
    const second = await node("n2");
    await until(() => second.begun.length === 1);
    assert.deepEqual([first.begun, second.begun], [["a"], ["b"]]);
    first.gate.resolve(SUCCEEDED);
    second.gate.resolve(SUCCEEDED);
    await until(async () =>
      await stateOf("a") === "SUCCEEDED" && await stateOf("b") === "SUCCEEDED"
    );
    assert.deepEqual([first.begun, second.begun], [["a"], ["b"]], "each ran once");
  }));

Deno.test("another node runs the build of a dead node, whose late result is not stored", () =>
  withNodes(async ({ node, store, stateOf, alive, builds }) => {
    await store("a");
    const first = await node("n1");
    await until(async () => await stateOf("a") === "RUNNING");
    const second = await node("n2");
    assert.deepEqual(second.begun, []);
    alive.delete("n1");
    second.look();
    await until(() => second.begun.length === 1);
    first.gate.resolve({ state: "FAILED", error: "late" });
    await first.queue.close();
    assert.equal((await builds.find(PROJECT, "a"))?.runner, "n2");
    second.gate.resolve(SUCCEEDED);
    await until(async () => await stateOf("a") === "SUCCEEDED");
  }));

Deno.test("a node that does not build leaves builds to others, which are notified", () =>
  withNodes(async ({ node, store, stateOf }) => {
    const [edge, builder] = [await node("n1", 0), await node("n2")];
    await store("a");
    edge.queue.add(record("a"));
    await builder.queue.follow(changed("a"));
    builder.gate.resolve(SUCCEEDED);
    await until(async () => await stateOf("a") === "SUCCEEDED");
    assert.deepEqual([edge.begun, builder.begun], [[], ["a"]]);
    await edge.queue.follow(changed("a"));
    assert.equal(edge.queue.ahead("a"), null);
  }));

Deno.test("a build whose deployment another node has stopped is cancelled", () =>
  withNodes(async ({ node, store, stateOf, unwanted }) => {
    await store("a");
    const first = await node("n1");
    await until(() => first.begun.length === 1);
    unwanted.add("a");
    await first.queue.follow([keys.deployment(PROJECT, "a")]);
    await until(async () => await stateOf("a") === "CANCELLED");
  }));
