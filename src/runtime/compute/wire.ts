/**
 * @module Frames between the platform and a server's process (`../process/frames/`), with a JSON
 * head as payload. This module defines the plain types; the platform validates received frames with
 * `parse_wire.ts`.
 */
import type { LocalRoute, Peer } from "../kernel/local_routes.ts";
import type { LogLevel } from "../process/frames/log_lines.ts";
import type { SandboxState } from "./sandbox/sandbox_support.ts";

/**
 * Types of frames. Numbers below 20 are for frames to the process, and higher numbers for frames
 * from it.
 */
export const ComputeFrame = {
  /** Start the server; payload: `ServerStart`. */
  start: 1,
  /** Respond with `pong` and the same ID as soon as the server's thread reacts. */
  ping: 2,
  /** Let the server exit by itself, if it handles SIGTERM; the response is `ended`. */
  terminate: 3,
  /** The response to `revalidate` with the same ID; payload: `Revalidated`. */
  revalidated: 4,
  /** The process is ready for the server's code; payload: `Booted`. */
  booted: 20,
  /** The server listens; payload: `Listening`. */
  listening: 21,
  pong: 22,
  /** One line for the log; payload: `ProcessLog`. */
  log: 23,
  /** The server has stopped, or cannot start; payload: `Ending`. The process exits too. */
  ended: 24,
  /** The server's code asks to revalidate cached pages; payload: `Revalidation`, with an ID. */
  revalidate: 25,
  /** The server connects to itself; payload: `Dialled`. */
  dialled: 26,
} as const;

/** Everything that the process knows about its server. */
export interface ServerStart {
  /** Absolute path of the deployment's folder. */
  readonly directory: string;
  /** Path of the entry in the folder. */
  readonly entry: string;
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  readonly host: string;
  readonly allowPrivate: boolean;
  readonly peers: readonly Peer[];
  /** Loopback ports that are redirected, including the server's own port. */
  readonly routes: readonly LocalRoute[];
  /** Names that resolve to the platform, which listens on the loopback address. */
  readonly hosts: readonly string[];
  /** Whether to run the server even if the kernel offers no sandbox. */
  readonly allowUnsandboxed: boolean;
  /** Size of the folder for temporary files, in MiB. */
  readonly tmpMb: number;
  /** The server's memory in addition to the runtime's own needs, in MiB. */
  readonly memoryMb: number;
  /** Set instead of the entry if the server is a program in any language. */
  readonly program?: ProgramStart;
  /** Absolute path of the Node binary; missing if the server runs on Deno. */
  readonly nodeBinary?: string;
  /** Shell command that starts the server; its entry is run by default. */
  readonly command?: string;
  /** Programs that the command finds by name, in addition to the machine's. */
  readonly tools?: readonly ServerTool[];
}

/** A program that a server may start by its name. */
export interface ServerTool {
  readonly name: string;
  /** Absolute real path of the folder that the program needs. */
  readonly folder: string;
  /** The program's file in the folder: a module for Node, or a program on the machine. */
  readonly file: string;
}

/** A server's root file system, and its start command. */
export interface ProgramImage {
  /** Path of the root file system in the deployment's folder. */
  readonly directory: string;
  /** Path of a program in the image, and its arguments. */
  readonly args: readonly string[];
  /** The image's variables. */
  readonly env: Readonly<Record<string, string>>;
  /** Folder in the image that the program starts in. */
  readonly workdir: string;
}

/** A server that can be any program. */
export interface ProgramStart {
  /** Shell command that starts the server; by default, an image runs its own command. */
  readonly command?: string;
  /** The image that the server starts in; this machine's system by default. */
  readonly image?: ProgramImage;
  /** Toolchain folders that the server sees in addition to the system's folders. */
  readonly toolchains: readonly string[];
  /** Program folders of the toolchains, which precede the system's on the search path. */
  readonly path: readonly string[];
}

/** A line of the server's log, sent to the platform. */
export interface ProcessLog {
  readonly level: LogLevel;
  readonly message: string;
  readonly requestId?: string;
}

/** How a server listens. */
export interface Listening {
  /** True if the server sends `GREETING` over each connection that it accepts. */
  readonly greets?: boolean;
  /** The address that a program listens on; if missing, the server's own socket. */
  readonly address?: { readonly hostname: string; readonly port: number };
}

/**
 * The greeting of a `node:http` server on Node, which sends it as soon as it accepts a connection.
 * Node accepts only one connection per turn of its loop, and requests should not wait for a busy
 * server. A client treats the greeting as an interim response, and skips it.
 */
export const GREETING = "HTTP/1.1 100 Continue\r\n\r\n";

/** A connection from the server to itself, through the platform. */
export interface Dialled {
  /** The source port of the connection. */
  readonly port: number;
}

/** Why a server has exited or cannot start, with the stack trace if there is one. */
export interface Ending {
  readonly message: string;
}

/** The response to a request to revalidate pages. */
export interface Revalidated {
  /** Why nothing was revalidated; missing on success. */
  readonly problem?: string;
}

/** Socket in the private folder where the platform waits for the process. */
export const CONTROL_SOCKET = "c";

/** Socket in the private folder where the server listens. */
export const SERVER_SOCKET = "s";

export interface Booted extends SandboxState {
  /** Resident memory of the runtime before it has loaded the server's code, in bytes. */
  readonly residentBytes: number;
  /** Process that runs the server's code; the process itself by default. */
  readonly pid?: number;
  /** Name and version of the runtime, such as `Node 24.1.0`; missing for any other program. */
  readonly runtime?: string;
}

/** Maximum payload in bytes: variables in one direction, a stack in the other. */
export const MAX_FRAME_BYTES = 4 * 1024 * 1024;

/** Carries the ID of a request, for the server's thread and its log. */
export const REQUEST_ID_HEADER = "x-svc-request-id";

/**
 * Nesting depth of a request that a server sends to itself; one more than the depth of the request
 * that is being handled. Visitors cannot set this field.
 */
export const DEPTH_HEADER = "x-svc-depth";

/**
 * Maximum nesting of a server's requests to itself; a request that is nested more deeply gets a
 * 508.
 */
export const MAX_DEPTH = 16;

/**
 * Carries `Accept-Encoding`, which the server's thread restores. An old runtime that sees the
 * original field compresses responses itself, and makes their entity tags weak
 * (docs/decisions/runtime.md).
 */
export const ACCEPT_ENCODING_HEADER = "x-svc-accept-encoding";
