import assert from "node:assert/strict";
import { toPayload } from "../process/frames/payload.ts";
import { parseBooted, parseEnding, parseLog } from "./parse_wire.ts";
import { crash } from "./server_process.ts";

Deno.test("crash() recognizes an out-of-memory error by the last output", () => {
  assert.equal(
    crash("Fatal JavaScript out of memory: Reached heap limit (SIGTRAP)").reason,
    "memory",
  );
  assert.deepEqual(crash("(SIGKILL)"), {
    reason: "crashed",
    message: "The server process exited: (SIGKILL)",
  });
});

Deno.test("only valid messages from a process are accepted", () => {
  const log = { level: "warn", message: "careful", requestId: "req_1" };
  assert.deepEqual(parseLog(toPayload(log)), log);
  assert.equal(parseLog(toPayload({ ...log, level: "loud" })), undefined);
  assert.equal(parseLog(toPayload({ ...log, message: "x".repeat(5000) })), undefined);
  assert.equal(parseEnding(new TextEncoder().encode("{")), undefined);
  const booted = { files: true, calls: false, residentBytes: 1, pid: 7, runtime: "Node 24.1.0" };
  assert.deepEqual(parseBooted(toPayload(booted)), booted);
  assert.equal(parseBooted(toPayload({ ...booted, runtime: "Node 24.1.0\nand more" })), undefined);
});
