import assert from "node:assert/strict";
import { machineMemory, memoryLimitFiles } from "./machine_memory.ts";

Deno.test("memoryLimitFiles() returns the files of both versions of control groups", () => {
  assert.deepEqual(memoryLimitFiles("0::/system.slice/svc.service\n"), [
    "/sys/fs/cgroup/system.slice/svc.service/memory.max",
    "/sys/fs/cgroup/system.slice/memory.max",
    "/sys/fs/cgroup/memory.max",
  ]);
  assert.deepEqual(memoryLimitFiles("9:name=systemd:/\n4:cpu,memory:/docker/1\n3:cpuset:/\n"), [
    "/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes",
    "/sys/fs/cgroup/memory/docker/memory.limit_in_bytes",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
  ]);
  assert.deepEqual(memoryLimitFiles("0::/"), ["/sys/fs/cgroup/memory.max"]);
  assert.deepEqual(memoryLimitFiles(""), []);
});

Deno.test("machineMemory() is no more than the machine's memory", () => {
  const bytes = machineMemory();
  assert.ok(bytes > 0 && bytes <= Deno.systemMemoryInfo().total);
});
