/** @module A server that another program has started, such as a framework's dev server. */
import { failureOf, toResponse } from "./results.ts";
import { ServerClient } from "./server_client.ts";
import type { ComputeRequest, ComputeResult, ComputeServer, ComputeSocketResult } from "./types.ts";
import { openSocket } from "./websocket/open_socket.ts";

export interface RunningServer extends Pick<ComputeServer, "fetch" | "connect"> {
  /** Closes idle connections. */
  close(): void;
}

const NOTHING = (): void => {};

/**
 * Sends requests to a running server. `timeoutMs` limits the time until the response head arrives.
 */
export function connectRunningServer(
  { dial, timeoutMs }: {
    readonly dial: () => Promise<Deno.Conn>;
    readonly timeoutMs: number;
  },
): RunningServer {
  const client = new ServerClient(dial, false);
  const attempt = { timeoutMs, over: NOTHING };
  return {
    async fetch(request: ComputeRequest): Promise<ComputeResult> {
      try {
        return { type: "response", response: toResponse(await client.send(request, attempt)) };
      } catch (error) {
        return failureOf(error, timeoutMs);
      }
    },
    async connect(request: Omit<ComputeRequest, "body">): Promise<ComputeSocketResult> {
      try {
        return await openSocket(request, { dial, ...attempt });
      } catch (error) {
        return failureOf(error, timeoutMs);
      }
    },
    close: () => client.close(),
  };
}
