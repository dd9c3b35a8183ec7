/**
 * @module Helpers for tests: a server on loopback that responds with fixed bytes, and names that
 * resolve to it.
 */

export interface RawServer extends Disposable {
  readonly port: number;
  /** Returns the number of connections accepted so far. */
  connections(): number;
  /** Returns everything that was received so far. */
  received(): string;
}

/**
 * Responds to each read with the next string; after that, repeats the last one. `null` closes the
 * connection.
 */
export function serveRaw(...answers: readonly (string | null)[]): RawServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  let connections = 0;
  let received = "";
  let turn = 0;
  const talk = async (conn: Deno.Conn): Promise<void> => {
    const buffer = new Uint8Array(65_536);
    try {
      for (;;) {
        const count = await conn.read(buffer);
        if (count === null) break;
        received += new TextDecoder("latin1").decode(buffer.subarray(0, count));
        const answer = answers[Math.min(turn++, answers.length - 1)];
        if (answer === null || answer === undefined) break;
        await conn.write(new TextEncoder().encode(answer));
        if (answers[turn] === null) break;
      }
    } catch { /* the client has disconnected */ }
    open.delete(conn);
    try {
      conn.close();
    } catch { /* the test has ended */ }
  };
  (async () => {
    for await (const conn of listener) {
      connections++;
      open.add(conn);
      void talk(conn);
    }
  })();
  return {
    port: (listener.addr as Deno.NetAddr).port,
    connections: () => connections,
    received: () => received,
    [Symbol.dispose]() {
      listener.close();
      for (const conn of open) conn.close();
    },
  };
}

/** Creates a resolver that uses a table and counts lookups. */
export function tableResolver(table: Readonly<Record<string, readonly (readonly string[])[]>>) {
  const asked = new Map<string, number>();
  const resolve = (name: string): Promise<readonly string[]> => {
    const times = asked.get(name) ?? 0;
    asked.set(name, times + 1);
    const answers = table[name];
    if (answers === undefined) return Promise.reject(new Error("no such name"));
    return Promise.resolve(answers[Math.min(times, answers.length - 1)] ?? []);
  };
  return { resolve, asked: (name: string) => asked.get(name) ?? 0 };
}
