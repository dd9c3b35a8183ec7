import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { type Peers, solePeers } from "../core/peers/mod.ts";
import type { AccessLogs } from "./access_logs.ts";
import { SharedLogs } from "./shared_logs.ts";

/** Returns this node's handler of requests to follow logs, and the listeners for new entries. */
function openFollow() {
  const answers = new Map<string, Parameters<Peers["answer"]>[2]>();
  const listeners = new Set<(entry: unknown) => void>();
  const local = {
    follow(_: string, listener: (entry: unknown) => void) {
      listeners.add(listener);
      queueMicrotask(() => listener("entry"));
      return () => listeners.delete(listener);
    },
  };
  new SharedLogs({
    local: local as unknown as AccessLogs,
    peers: { ...solePeers(), answer: (name, _, give) => void answers.set(name, give as never) },
    node: "one",
    closing: new AbortController().signal,
    onTrouble: (message) => assert.fail(message),
  });
  return { follow: answers.get("logs.follow")!, listeners };
}

Deno.test("SharedLogs keeps no listeners for a node that no longer follows", async () => {
  const { follow, listeners } = openFollow();
  const { signal } = new AbortController();
  for await (const part of follow({ projectId: "shop" }, signal)) {
    assert.deepEqual(part, ["entry"]);
    break;
  }
  assert.equal(listeners.size, 0);
  assert.deepEqual(getEventListeners(signal, "abort"), []);
});
