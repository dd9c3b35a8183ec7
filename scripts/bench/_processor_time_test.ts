import assert from "node:assert/strict";
import { processorTime, readStat, timeOfTree } from "./_processor_time.ts";

const TIMES = "250 60 30 5";
const statOf = (name: string) =>
  `4711 (${name}) S 4700 4711 4700 0 -1 4194304 100 0 0 0 ${TIMES} 20 0 12 0 9000 1000 50\n`;

Deno.test("readStat() adds the times of a process and of its exited children", () => {
  const expected = { pid: 4711, parent: 4700, milliseconds: 3450 };
  assert.deepEqual(readStat(statOf("svc")), expected);
  assert.deepEqual(readStat(statOf("a) S 1 (b")), expected);
});

Deno.test("timeOfTree() adds up all descendants of a process, in any order, but no other processes", () => {
  const processes = [
    { pid: 30, parent: 20, milliseconds: 4 },
    { pid: 20, parent: 10, milliseconds: 2 },
    { pid: 10, parent: 1, milliseconds: 1 },
    { pid: 11, parent: 1, milliseconds: 100 },
  ];
  assert.equal(timeOfTree(10, processes), 7);
});

Deno.test({
  name: "processorTime() grows while this process is busy",
  ignore: Deno.build.os !== "linux",
  fn() {
    const before = processorTime(Deno.pid);
    let after = before;
    for (let work = 0; after === before && work < 1e6; work++) after = processorTime(Deno.pid);
    assert.ok(after > before);
  },
});
