/**
 * @module The process that a deployment's server runs in. The process's first thread runs no
 * project code: it starts the server's thread, and passes messages between that thread and the
 * platform. The process exits when the platform closes the connection.
 */
import { join } from "node:path";
import { workerUrl } from "../../lib/worker_url.ts";
import type { Frame } from "../process/frames/frame.ts";
import { FrameConnection } from "../process/frames/frame_connection.ts";
import { fromPayload, toPayload } from "../process/frames/payload.ts";
import { LineLimit } from "../process/frames/log_lines.ts";
import { denoCache } from "../process/source_cache.ts";
import { refuseForeignDescriptors } from "../process/own_descriptors.ts";
import { servePlatform, yieldToPlatform } from "../process/serve_platform.ts";
import { temporaryBytes } from "../process/temporary_files.ts";
import { enterSandbox } from "./sandbox/enter_sandbox.ts";
import { findEscapingLink } from "./sandbox/escaping_link.ts";
import { openTemporaryFolder, type TemporaryFolder } from "./sandbox/temporary_folder.ts";
import type { SandboxState } from "./sandbox/sandbox_support.ts";
import { ALLOWED_SYS } from "./process_command.ts";
import {
  ComputeFrame,
  CONTROL_SOCKET,
  type Dialled,
  MAX_FRAME_BYTES,
  type Revalidated,
  SERVER_SOCKET,
  type ServerStart,
} from "./wire.ts";
import type { FromWorker, ToWorker } from "./worker/messages.ts";
import { fileURLToPath } from "node:url";

/**
 * Maximum number of log lines per second; further lines are dropped here, before they reach the
 * platform.
 */
const MAX_LINES_PER_SECOND = 2000;

/** Time for sending the last frames before the process exits, in milliseconds. */
const LAST_FRAMES_MS = 50;

/** How often to check a temporary folder whose size the kernel does not limit, in milliseconds. */
const WATCH_MS = 1000;

const MIB = 1024 * 1024;

const WORKER = workerUrl(
  "compute_worker.js",
  new URL("./worker/worker_main.ts", import.meta.url),
);

/**
 * Paths of the program that the server's thread must read: the executable, or the source and Deno's
 * cache.
 */
function runtimePaths(): string[] {
  if (Deno.build.standalone) return [Deno.execPath()];
  const cache = denoCache(Deno.env.toObject());
  return [Deno.execPath(), fileURLToPath(new URL("../", import.meta.url)), cache];
}

class ComputeProcess {
  #port: MessagePort | undefined;
  #sandbox: SandboxState | undefined;
  #lastError: string | undefined;
  readonly #lines = new LineLimit(MAX_LINES_PER_SECOND);

  readonly #connection: FrameConnection;
  readonly #folder: string;

  constructor(connection: FrameConnection, folder: string) {
    this.#connection = connection;
    this.#folder = folder;
  }

  take({ type, id, payload }: Frame): void {
    if (type === ComputeFrame.ping) this.#post({ type: "ping", id });
    else if (type === ComputeFrame.terminate) this.#post({ type: "terminate" });
    else if (type === ComputeFrame.revalidated) {
      this.#post({ type: "revalidated", id, answer: fromPayload<Revalidated>(payload) });
    } else if (type === ComputeFrame.start) {
      this.#start(fromPayload<ServerStart>(payload)).catch((error) => this.#end(`${error}`));
    }
  }

  #post(message: ToWorker): void {
    this.#port?.postMessage(message);
  }

  async #start(start: ServerStart): Promise<void> {
    // From here on, the kernel checks every file that is opened.
    const refused = await refuseForeignDescriptors();
    if (refused !== undefined) return this.#end(refused);
    Deno.chdir(start.directory);
    const socket = join(this.#folder, SERVER_SOCKET);
    const runtime = runtimePaths();
    const temporary = openTemporaryFolder({
      sizeMb: start.tmpMb,
      folder: this.#folder,
      needed: [start.directory, ...runtime],
    });
    const tmp = temporary.path;
    const sandbox = enterSandbox({
      directory: start.directory,
      folder: this.#folder,
      tmp,
      runtime,
      allowPrivate: start.allowPrivate,
      peers: start.peers,
      routes: start.routes,
      announce: (port) => this.#send(ComputeFrame.dialled, { port } satisfies Dialled),
    });
    this.#sandbox = sandbox;
    if (sandbox.reason !== undefined && !start.allowUnsandboxed) {
      return this.#end(`The server cannot start without its sandbox: ${sandbox.reason}`);
    }
    const link = sandbox.files ? undefined : findEscapingLink(start.directory);
    if (link !== undefined) return this.#end(`The link ${link} leads outside the deployment`);
    const worker = new Worker(WORKER, {
      type: "module",
      name: "server",
      deno: {
        permissions: {
          read: [start.directory, socket, tmp],
          write: [socket, tmp],
          net: "inherit",
          env: true,
          sys: [...ALLOWED_SYS],
          run: false,
          ffi: false,
          import: false,
        },
      },
    });
    worker.onerror = (event) => {
      event.preventDefault();
      this.#end(this.#lastError ?? event.message);
    };
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#hear(data);
    worker.postMessage(port2, [port2]);
    this.#post({ type: "start", start, socket, tmp });
    if (!temporary.isLimited) this.#watch(temporary, start.tmpMb);
  }

  /** Stops the server if its temporary files use too much disk space. */
  #watch({ path }: TemporaryFolder, maxMb: number): void {
    setInterval(() => {
      if (temporaryBytes(path, Deno.pid) <= maxMb * MIB) return;
      this.#end(`The server wrote more than ${maxMb} MiB of temporary files`);
    }, WATCH_MS);
  }

  #hear(message: FromWorker): void {
    switch (message.type) {
      case "log":
        return this.#log(message);
      case "prepared":
        this.#send(ComputeFrame.booted, {
          ...this.#sandbox,
          residentBytes: Deno.memoryUsage().rss,
          runtime: `Deno ${Deno.version.deno}`,
        });
        return this.#post({ type: "load" });
      case "listening":
        return this.#send(ComputeFrame.listening, {});
      case "pong":
        return this.#connection.send({ type: ComputeFrame.pong, worker: 0, id: message.id });
      case "revalidate":
        return this.#send(ComputeFrame.revalidate, message.what, message.id);
      case "error":
        this.#lastError = message.message;
        return;
      case "ended":
        return this.#end(message.message);
    }
  }

  #log({ level, message, requestId }: Extract<FromWorker, { type: "log" }>): void {
    if (!this.#lines.take(performance.now()).passes) return;
    this.#send(ComputeFrame.log, {
      level,
      message,
      requestId,
    });
  }

  #send(type: number, head: object, id = 0): void {
    this.#connection.send({ type, worker: 0, id, payload: toPayload(head) });
  }

  #end(message: string): void {
    this.#send(ComputeFrame.ended, { message: message.slice(0, 4000) });
    setTimeout(() => Deno.exit(1), LAST_FRAMES_MS);
  }
}

/**
 * Runs the server that the platform names over the control socket in `folder`, and exits when
 * the platform disconnects.
 */
export async function runComputeProcess(folder: string): Promise<never> {
  yieldToPlatform();
  return await servePlatform({
    socketPath: join(folder, CONTROL_SOCKET),
    maxPayload: MAX_FRAME_BYTES,
    begin: (connection) => {
      const process = new ComputeProcess(connection, folder);
      return (frame) => process.take(frame);
    },
  });
}

if (import.meta.main && !Deno.build.standalone) await runComputeProcess(Deno.args[0] ?? "");
