/**
 * A TCP connection between two programs that a test can slow down, cut, and inspect.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";

export interface SlowLine extends AsyncDisposable {
  readonly port: number;
  /** Delay of each byte in each direction, in milliseconds. */
  delayMs: number;
  /** Fraction of chunks that are sent only after a while, as on a line that loses packets. */
  lost: number;
  /** Cuts every connection. New connections are refused until the line is repaired. */
  cut(): void;
  mend(): void;
  /** The targets that have been requested since the line was opened. */
  readonly targets: readonly string[];
  /** Counts the requests for a path. */
  asked(path: string): number;
}

interface Piece {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly due: number;
}

/** Time after which a lost chunk is sent again, in milliseconds. This is the minimum on Linux. */
const RESENT_MS = 200;

/** Opens a line to a port on this machine. */
export function openLine(to: number, delayMs = 0): SlowLine {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  const targets: string[] = [];
  let isCut = false;

  async function move(from: Deno.Conn, into: Deno.Conn, look?: (text: string) => void) {
    const decoder = new TextDecoder("latin1");
    await from.readable
      .pipeThrough(
        new TransformStream<Uint8Array<ArrayBuffer>, Piece>(
          {
            transform(bytes, controller) {
              look?.(decoder.decode(bytes));
              const resentMs = Math.random() < line.lost ? RESENT_MS : 0;
              controller.enqueue({ bytes, due: performance.now() + line.delayMs + resentMs });
            },
          },
          undefined,
          { highWaterMark: 10_000 },
        ),
      )
      .pipeThrough(
        new TransformStream<Piece, Uint8Array<ArrayBuffer>>({
          async transform({ bytes, due }, controller) {
            const left = due - performance.now();
            if (left > 0) await delay(left);
            controller.enqueue(bytes);
          },
        }),
      )
      .pipeTo(into.writable);
  }

  async function connect(client: Deno.Conn): Promise<void> {
    open.add(client);
    const server = await Deno.connect({ hostname: "127.0.0.1", port: to }).catch(() => undefined);
    if (server !== undefined) {
      open.add(server);
      const look = (text: string) => {
        for (const [, target] of text.matchAll(/^(?:GET|HEAD|POST) (\S+) HTTP/gm)) {
          targets.push(target!);
        }
      };
      await Promise.allSettled([move(client, server, look), move(server, client)]);
    }
    for (const each of [client, server]) close(each);
  }

  function close(connection: Deno.Conn | undefined): void {
    if (connection === undefined) return;
    open.delete(connection);
    try {
      connection.close();
    } catch { /* it is already closed */ }
  }

  const accepting = (async () => {
    for await (const client of listener) {
      if (isCut) close(client);
      else connect(client).catch(() => {});
    }
  })();

  const line: SlowLine = {
    port: listener.addr.port,
    delayMs,
    lost: 0,
    targets,
    cut() {
      isCut = true;
      for (const each of open) close(each);
    },
    mend() {
      isCut = false;
    },
    asked: (path) => targets.filter((target) => target === path).length,
    async [Symbol.asyncDispose]() {
      line.cut();
      listener.close();
      await accepting.catch(() => {});
    },
  };
  return line;
}
