/**
 * Fetching a page of a deployment by its host name, without DNS: the
 * connection goes to the loopback address, the `Host` header names the site.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { type Agent, type ClientRequest, type IncomingHttpHeaders, request } from "node:http";

export interface HostRequest {
  readonly port: number;
  readonly host: string;
  /** Sent as it is: dot segments and odd escapes stay. */
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Has the connections; each request has one of its own where it is missing. */
  readonly agent?: Agent;
}

export interface HostAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  readonly text: string;
}

/** Time in which a response must be complete once its connection has closed, in milliseconds. */
const CLOSED_MS = 1_000;

/** Rejects where the connection ends early: Deno 2.7's `node:http` does not report it. */
export function failWhenClosed(call: ClientRequest, reject: (error: Error) => void): void {
  call.on("socket", (socket) => {
    const fail = () => {
      setTimeout(() => reject(new Error("The connection closed early")), CLOSED_MS);
    };
    socket.once("close", fail);
    call.once("response", (response) => response.once("end", () => socket.off("close", fail)));
  });
}

/** Sends one request; redirects are not followed. */
export function fetchByHost(wanted: HostRequest): Promise<HostAnswer> {
  return new Promise((resolve, reject) => {
    const call = request({
      host: "127.0.0.1",
      port: wanted.port,
      path: wanted.path,
      method: wanted.method ?? "GET",
      headers: { ...wanted.headers, host: `${wanted.host}:${wanted.port}` },
      agent: wanted.agent ?? false,
      timeout: 30_000,
    }, (answer) => {
      const chunks: Uint8Array[] = [];
      answer.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () => {
        const body = new Uint8Array(Buffer.concat(chunks));
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body,
          text: new TextDecoder().decode(body),
        });
      });
    });
    call.on("error", reject);
    call.on("timeout", () => reject(new Error("No response within 30 seconds")));
    failWhenClosed(call, reject);
    call.end(wanted.body);
  });
}
