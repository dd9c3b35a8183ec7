/**
 * Connections that stay open, in a thread of their own: they are answered while the
 * platform's thread is blocked.
 *
 * @module
 */
import { Agent, request } from "node:http";

/** What the connections ask: each of them the path that many times. */
export interface Visit {
  readonly port: number;
  readonly host: string;
  readonly path: string;
  readonly times: number;
  /** What is sent by `POST`; a `GET` where it is missing. */
  readonly body: string | undefined;
  /** Set to 1, and notified, when all have been answered. */
  readonly done: Int32Array<SharedArrayBuffer>;
}

const CONNECTIONS = 16;

const agents = Array.from(
  { length: CONNECTIONS },
  () => new Agent({ keepAlive: true, maxSockets: 1 }),
);

function ask(agent: Agent, { port, host, path, body }: Visit): Promise<string> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST";
    const headers = { host, ...(body && { "content-length": body.length }) };
    request({ hostname: "127.0.0.1", port, path, agent, method, headers }, async (response) => {
      const text = (await response.toArray()).join("");
      const { statusCode, headers } = response;
      const said = text.startsWith("<") ? [] : [text];
      resolve([statusCode, headers["x-svc-cache"] ?? [], said].flat().join(" "));
    }).on("error", reject).end(body);
  });
}

async function visit(asked: Visit): Promise<string[]> {
  const answers = await Promise.all(agents.map(async (agent) => {
    const texts: string[] = [];
    for (let time = 0; time < asked.times; time++) texts.push(await ask(agent, asked));
    return texts;
  }));
  return answers.flat();
}

const scope = globalThis as unknown as Worker;
scope.onmessage = async ({ data }: MessageEvent<Visit>) => {
  scope.postMessage(await visit(data));
  Atomics.store(data.done, 0, 1);
  Atomics.notify(data.done, 0);
};
