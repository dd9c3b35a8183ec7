/**
 * Fetches a deployment's page by hostname, without DNS: the connection goes to the loopback
 * address, and the `Host` header identifies the site.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { type Agent, type IncomingHttpHeaders, request } from "node:http";
import { exchange, type ExchangeRequest, type ExchangeResponse } from "../src/lib/_exchange.ts";

/** Maximum time for a response, in milliseconds. */
const TIMEOUT_MS = 30_000;

export interface HostRequest {
  readonly port: number;
  readonly host: string;
  /** Sent unchanged, including dot segments and unusual escapes. */
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Agent that keeps connections open. Without it, each request opens its own connection. */
  readonly agent?: Agent;
}

export interface HostAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  readonly text: string;
}

/** Sends one request. Redirects are not followed. */
export async function fetchByHost(wanted: HostRequest): Promise<HostAnswer> {
  const { port, path, method, body: sent, agent } = wanted;
  const headers = { ...wanted.headers, host: `${wanted.host}:${port}` };
  const call = {
    port,
    path,
    headers,
    body: sent,
    ...(method === undefined ? {} : { method }),
  };
  const answer = agent === undefined ? await exchange(call) : await exchangeBy(agent, call);
  return { ...answer, text: new TextDecoder().decode(answer.body) };
}

/** Sends a request over a connection that an agent keeps open. */
function exchangeBy(agent: Agent, call: ExchangeRequest): Promise<ExchangeResponse> {
  return new Promise((resolve, reject) => {
    const sent = request({ ...call, host: "127.0.0.1", agent, timeout: TIMEOUT_MS }, (answer) => {
      const chunks: Uint8Array[] = [];
      answer.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () => {
        const body = new Uint8Array(Buffer.concat(chunks));
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body });
      });
    });
    sent.on("timeout", () => reject(new Error("No response within 30 seconds")));
    sent.on("error", reject);
    sent.end(call.body);
  });
}
