/** A `ComputeServer` in memory, for tests. @module */
import type { ComputeHealth, ComputeResult, ComputeServer } from "../../runtime/mod.ts";

/** A server whose health and responses the test sets. */
export class MemoryServer implements ComputeServer {
  health: ComputeHealth = { healthy: true, latencyMs: 1 };
  result: ComputeResult = {
    type: "response",
    response: { status: 200, headers: [], body: null },
  };
  starts = 0;
  drained: number | undefined;

  fetch(): Promise<ComputeResult> {
    return Promise.resolve(this.result);
  }
  connect(): Promise<ComputeResult> {
    return Promise.resolve(this.result);
  }
  start(): Promise<ComputeHealth> {
    this.starts++;
    return Promise.resolve(this.health);
  }
  check(): Promise<ComputeHealth> {
    return Promise.resolve(this.health);
  }
  drain(milliseconds: number): Promise<void> {
    this.drained = milliseconds;
    return Promise.resolve();
  }
}
