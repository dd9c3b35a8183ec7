/** @module Inputs and results of a deployment's server. */
import type { HeaderList } from "../http1/head.ts";
import type { LazySignal } from "../http1/exchange_watch.ts";
import type { LocalRoute, Peer } from "../kernel/local_routes.ts";
import type { LogLevel } from "../process/frames/log_lines.ts";
import type { Revalidate } from "./engine/revalidation.ts";
import type { ProcessPlaces } from "../process/process_places.ts";
import type { SocketCount } from "../process/socket_count.ts";
import type { ServerLauncher } from "./server_launcher.ts";
import type { ProgramStart, ServerTool } from "./wire.ts";

export interface ComputeRequest {
  readonly method: string;
  /** Path and query, as the server should see them. */
  readonly target: string;
  /** Includes `host`; hop-by-hop fields are dropped. */
  readonly headers: HeaderList;
  /** The body of the request. If it is passed as bytes, the request may be sent twice. */
  readonly body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | null;
  readonly requestId: string;
  /** Aborted when the client has disconnected. Then the connection to the server is closed. */
  readonly signal?: LazySignal | undefined;
}

export interface ComputeResponse {
  readonly status: number;
  readonly statusText?: string;
  readonly headers: HeaderList;
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  /** The whole body, if it arrived with the head; use it instead of `body`. */
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined;
  /** The whole body, as text if it is ASCII: text costs half as much to forward as bytes. */
  readonly whole?: string | Uint8Array<ArrayBuffer> | undefined;
}

/**
 * `timeout` becomes a 504, `overloaded` a 503, and other failures a 502. `aborted` needs no
 * response.
 */
export type ComputeFailure =
  | "timeout"
  | "memory"
  | "crashed"
  | "cannot_start"
  | "overloaded"
  | "invalid_response"
  | "aborted";

export type ComputeResult =
  | { readonly type: "response"; readonly response: ComputeResponse }
  | { readonly type: "failed"; readonly reason: ComputeFailure; readonly message: string };

/** An open WebSocket to the server, message by message. */
export interface ComputeSocket {
  /** Subprotocol that the server chose; "" for none. */
  readonly protocol: string;
  send(message: string | Uint8Array): void | Promise<void>;
  close(code?: number, reason?: string): void;
  /** Yields the messages until the socket is closed, and then returns how it was closed. */
  readonly messages: AsyncIterator<
    string | Uint8Array,
    { readonly code: number; readonly reason: string }
  >;
}

export type ComputeSocketResult =
  | {
    readonly type: "open";
    readonly socket: ComputeSocket;
    /** Headers of the response that opened the socket, without the handshake's own headers. */
    readonly headers: HeaderList;
  }
  /** The server responded as it would to a request without an upgrade. */
  | { readonly type: "response"; readonly response: ComputeResponse }
  | Extract<ComputeResult, { readonly type: "failed" }>;

export interface ComputeLogEntry {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly level: LogLevel;
  /** Missing if no request, or more than one request, may have caused the line. */
  readonly requestId?: string;
  readonly message: string;
}

export type ComputeHealth =
  | { readonly healthy: true; readonly latencyMs: number }
  | { readonly healthy: false; readonly reason: string };

/** The server of one COMPUTE layer of one deployment. */
export interface ComputeServer {
  /** Sends a request to the server, which is started if it is not running. Never rejects. */
  fetch(request: ComputeRequest): Promise<ComputeResult>;
  /**
   * Opens a WebSocket. It counts as a request until the server has accepted it, then only as a
   * socket. Never rejects.
   */
  connect(request: Omit<ComputeRequest, "body">): Promise<ComputeSocketResult>;
  /**
   * Starts the server if it is not running, and reports whether it listens. A deploy waits for this
   * before it goes live. Never rejects. The maximum duration is `startMs`, plus the time spent
   * waiting for a slot.
   */
  start(): Promise<ComputeHealth>;
  /**
   * Checks that a running server still responds. Does not start a stopped server, and does not
   * count as use. A server that stopped because it was idle is healthy.
   */
  check(): Promise<ComputeHealth>;
  /**
   * Lets current requests finish within the given number of milliseconds, then stops the process.
   * If the number is greater than 0, a server that handles SIGTERM gets a little time to exit.
   */
  drain(milliseconds: number): Promise<void>;
}

export interface ComputeLimits {
  /**
   * Maximum time until the response headers arrive, in milliseconds (`runtime.timeoutMs` in the
   * manifest).
   */
  readonly timeoutMs: number;
  /**
   * Resident memory in MiB, beyond what the runtime itself needs (`runtime.memoryMb` in the
   * manifest).
   */
  readonly memoryMb: number;
  /** Maximum number of concurrent requests, not counting open WebSockets; further requests wait. */
  readonly maxConcurrent: number;
  /** Maximum number of waiting requests; further requests fail as `overloaded`. */
  readonly maxQueued: number;
  /** Maximum number of open WebSockets; further WebSockets immediately fail as `overloaded`. */
  readonly maxSockets: number;
  /** Maximum time until the server listens, in milliseconds. */
  readonly startMs: number;
  /** Time without requests after which the process exits, in milliseconds; 0 for never. */
  readonly idleMs: number;
}

export interface ComputeServerOptions {
  readonly deploymentId: string;
  /**
   * Absolute path of the folder with the deployment's files. The server may read the folder, and a
   * `package.json` next to it. If a parent folder has a `package.json`, the runtime also needs a
   * `package.json` here.
   */
  readonly directory: string;
  /** Path of the entry relative to `directory`. */
  readonly entry: string;
  /** The server's whole environment, except `PORT` and `HOST`. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: Partial<ComputeLimits> & Pick<ComputeLimits, "timeoutMs" | "memoryMb">;
  /** Size of the folder for temporary files, in MiB; 64 by default. */
  readonly tmpMb?: number;
  /** True to allow private, local and reserved addresses. */
  readonly allowPrivate: boolean;
  /** Ports on private addresses that the server may still reach. */
  readonly peers?: readonly Peer[];
  /** Loopback ports that are redirected to the platform's hosts. */
  readonly routes?: readonly LocalRoute[];
  /** Names of the hosts that are reached through the redirected ports. */
  readonly hosts?: readonly string[];
  /** Whether to run the server even if the kernel offers no sandbox; false if missing. */
  readonly allowUnsandboxed?: boolean;
  readonly log: (entry: ComputeLogEntry) => void;
  /**
   * Revalidates the deployment's cached pages for the server's code. If the promise is rejected,
   * the code gets the reason as its response.
   */
  readonly revalidate?: Revalidate;
  /** The server's engine: this program's own runtime (the default), Node, or a command. */
  readonly engine?: "deno" | "node" | "command";
  /** The program to start; required for commands. */
  readonly program?: ProgramStart;
  /** Absolute path of the Node binary; needed if the engine is Node. */
  readonly nodeBinary?: string;
  /** Shell command that starts the server, if the engine is Node; by default, the entry is run. */
  readonly command?: string;
  /** Programs that the command finds by name, in addition to the machine's. */
  readonly tools?: readonly ServerTool[];
  /** Starts the server's process. It must be a launcher for the same engine. */
  readonly launcher: Pick<ServerLauncher, "start">;
  /** Process slots that all servers share; by default, any number of processes may run. */
  readonly places?: ProcessPlaces;
  /** The WebSockets of all servers; by default, only `maxSockets` bounds them. */
  readonly sockets?: SocketCount;
  /** Wall clock in milliseconds; the system's by default. */
  readonly now?: () => number;
}
