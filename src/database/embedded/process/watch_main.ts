/**
 * @module The thread that watches a database's backend. The platform sends the numbers (u32) of the
 * clients whose statements must be cancelled. To stop the process immediately, the platform closes
 * the connection.
 */
import { type FromWatch, OURSELVES, Shared, type ToWatch } from "./watch_messages.ts";

const scope = globalThis as unknown as {
  onmessage: (event: MessageEvent<ToWatch>) => void;
  postMessage: (message: FromWatch) => void;
};

let flags: readonly Int32Array[] = [];
let shared: Int32Array = new Int32Array(0);
let limit: ReturnType<typeof setTimeout> | undefined;

/** How long the backend may continue after an interrupt, in milliseconds. */
const STUBBORN_MS = 5000;

const isRunning = (run: number): boolean =>
  Atomics.load(shared, Shared.client) !== 0 && Atomics.load(shared, Shared.run) === run;

/**
 * Makes the backend cancel its statement, as a signal handler would. A statement that does not
 * check for interrupts (`pg_sleep`) would block all clients indefinitely, so the process exits
 * instead. Committed data is kept.
 */
function interrupt(): void {
  const run = Atomics.load(shared, Shared.run);
  for (const flag of flags) flag[0] = 1;
  if (Atomics.load(shared, Shared.client) === OURSELVES) return;
  setTimeout(() => {
    if (isRunning(run)) Deno.kill(Deno.pid, "SIGKILL");
  }, STUBBORN_MS);
}

function wordAt(address: bigint): Int32Array {
  const pointer = Deno.UnsafePointer.create(address);
  if (pointer === null) throw new Error("The backend has no memory");
  return new Int32Array(Deno.UnsafePointerView.getArrayBuffer(pointer, 4));
}

async function listen(socketPath: string): Promise<void> {
  const conn = await Deno.connect({ transport: "unix", path: socketPath });
  scope.postMessage({ type: "listening" });
  const bytes = new Uint8Array(4);
  const view = new DataView(bytes.buffer);
  for (let filled = 0;;) {
    const count = await conn.read(bytes.subarray(filled)).catch(() => null);
    if (count === null) return Deno.kill(Deno.pid, "SIGKILL");
    filled = (filled + count) % 4;
    if (filled === 0 && Atomics.load(shared, Shared.client) === view.getUint32(0)) interrupt();
  }
}

/** Interrupts a run that exceeds its time limit. */
function endLate(run: number): void {
  if (!isRunning(run)) return;
  Atomics.store(shared, Shared.late, run);
  interrupt();
}

scope.onmessage = ({ data }) => {
  switch (data.type) {
    case "listen":
      shared = new Int32Array(data.shared);
      listen(data.socketPath).catch(() => Deno.kill(Deno.pid, "SIGKILL"));
      return;
    case "attend":
      flags = data.flags.map(wordAt);
      return;
    case "limit":
      clearTimeout(limit);
      limit = setTimeout(() => endLate(data.run), data.milliseconds);
  }
};
