import assert from "node:assert/strict";
import { type DeploymentCounts, type EncodedCounts, TrafficCounts } from "../../traffic/mod.ts";
import type { DeploymentRecord } from "../deployments/mod.ts";
import { TrafficBook } from "./traffic_book.ts";
import { TrafficCollector } from "./traffic_collector.ts";

function counted(requests: number): EncodedCounts {
  const counts = new TrafficCounts();
  for (let request = 0; request < requests; request++) counts.addAnswer(200, "static", 1);
  return counts.encode();
}

Deno.test("TrafficCollector keeps counts that it cannot assign because the store fails", async () => {
  const added: number[] = [];
  const waiting: DeploymentCounts[] = [];
  let isDown = true;
  const collector = new TrafficCollector({
    deployments: {
      find: (_, id) =>
        isDown
          ? Promise.reject(new Error("down"))
          : Promise.resolve({ id, environment: "production" } as DeploymentRecord),
    },
    counter: { take: () => waiting.splice(0) },
    book: { add: (_, { requests }) => void added.push(requests) },
    now: () => 0,
  });
  const of = (requests: number) => ({
    projectId: "p",
    deploymentId: "d",
    counts: counted(requests),
  });
  waiting.push(of(2));
  await assert.rejects(collector.collect(), /down/);
  waiting.push(of(3));
  isDown = false;
  await collector.collect();
  await collector.collect();
  assert.deepEqual(added, [5]);
});

Deno.test("TrafficBook limits concurrent writes, and retries failed parts next time", async () => {
  const written: string[] = [];
  let [running, most, fails] = [0, 0, true];
  const book = new TrafficBook({
    partName: () => "part",
    async write({ projectId, unit }) {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
      if (fails && projectId === "p7") throw new Error("full");
      written.push(`${projectId} ${unit}`);
    },
  });
  for (let project = 0; project < 200; project++) {
    book.add({ projectId: `p${project}`, environment: "production" }, counted(1), 0);
  }
  await assert.rejects(book.save(0), /full/);
  fails = false;
  await book.save(0);
  assert.equal(new Set(written).size, 600);
  assert.ok(most <= 32, String(most));
});
