/** @module A server's fake process, for tests of its supervisor. */
import type { Frame } from "../process/frames/frame.ts";
import { FrameConnection } from "../process/frames/frame_connection.ts";
import { toPayload } from "../process/frames/payload.ts";
import type { ServerLauncher } from "./server_launcher.ts";
import type { RunningServer, StartServerOptions } from "./start_server.ts";
import { ComputeFrame } from "./wire.ts";

/** One end of a connection in memory. */
class MemoryConn {
  peer!: MemoryConn;
  #chunks: Uint8Array[] = [];
  #isClosed = false;
  #wake: () => void = () => {};

  async read(buffer: Uint8Array): Promise<number | null> {
    while (this.#chunks.length === 0) {
      if (this.#isClosed) return null;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    const chunk = this.#chunks.shift()!;
    const count = Math.min(chunk.byteLength, buffer.byteLength);
    buffer.set(chunk.subarray(0, count));
    if (count < chunk.byteLength) this.#chunks.unshift(chunk.subarray(count));
    return count;
  }

  write(bytes: Uint8Array): Promise<number> {
    this.peer.#chunks.push(bytes.slice());
    this.peer.#wake();
    return Promise.resolve(bytes.byteLength);
  }

  close(): void {
    for (const end of [this, this.peer]) {
      end.#isClosed = true;
      end.#wake();
    }
  }
}

function connect(): readonly [FrameConnection, FrameConnection] {
  const [near, far] = [new MemoryConn(), new MemoryConn()];
  near.peer = far;
  far.peer = near;
  return [near, far].map((end) => new FrameConnection(end as unknown as Deno.Conn)) as [
    FrameConnection,
    FrameConnection,
  ];
}

/** The last request from the platform to a process. */
type Asked = "start" | "ping" | "terminate" | "kill";

export class FakeServer implements RunningServer {
  readonly connection: FrameConnection;
  readonly ended: Promise<string>;
  readonly asked: Asked[] = [];
  /** Whether the process responds to pings. */
  reacts = true;
  readonly #own: FrameConnection;
  #end!: (words: string) => void;

  constructor(readonly pid: number, readonly options: StartServerOptions) {
    [this.connection, this.#own] = connect();
    this.ended = new Promise((resolve) => this.#end = resolve);
    void this.#own.receive((frame) => this.#take(frame));
  }

  #take({ type, id }: Frame): void {
    if (type === ComputeFrame.start) this.asked.push("start");
    else if (type === ComputeFrame.terminate) this.asked.push("terminate");
    else if (type === ComputeFrame.ping) {
      this.asked.push("ping");
      if (this.reacts) this.#own.send({ type: ComputeFrame.pong, worker: 0, id });
    }
  }

  #send(type: number, head: object): void {
    this.#own.send({ type, worker: 0, id: 0, payload: toPayload(head) });
  }

  /**
   * Reports that the process is ready for the server's code, and how much memory the process itself
   * uses.
   */
  boot(residentBytes: number): void {
    this.#send(ComputeFrame.booted, { files: true, calls: true, residentBytes });
  }

  listen(): void {
    this.#send(ComputeFrame.listening, {});
  }

  /** Reports that the server's code has finished. After that, the process exits. */
  end(message: string): void {
    this.#send(ComputeFrame.ended, { message });
    // The process exits only after the frame has been sent.
    setTimeout(() => this.crash("(code 1)"));
  }

  /** Exits with a message, but without a frame. */
  crash(words: string): void {
    this.#own.close();
    this.#end(words);
  }

  /** True if the kernel killed the process because its control group ran out of memory. */
  isOverGroup = false;

  ranOut(): boolean {
    return this.isOverGroup;
  }

  kill(): void {
    this.asked.push("kill");
    this.crash("(SIGKILL)");
  }

  close(): void {
    this.connection.close();
  }

  dial(): Promise<Deno.Conn> {
    return Promise.reject(new Error("A test's fake server serves nothing"));
  }
}

/** Starts fake servers, and collects them in `started`. */
export function fakeStart(
  pid = -1,
): { readonly started: FakeServer[]; readonly launcher: Pick<ServerLauncher, "start"> } {
  const started: FakeServer[] = [];
  const launcher: Pick<ServerLauncher, "start"> = {
    start(_server, options) {
      const server = new FakeServer(pid, options);
      started.push(server);
      return Promise.resolve(server);
    },
  };
  return { started, launcher };
}
