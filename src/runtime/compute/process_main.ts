/**
 * The process in which the server of a deployment runs. Its first thread runs
 * no foreign code: it starts the server's thread, and passes messages between
 * that and the platform. It ends when the platform's end of the line closes.
 *
 * @module
 */
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { denoCache } from "../process/source_cache.ts";
import { refuseForeignDescriptors } from "../process/own_descriptors.ts";
import { FrameConnection } from "../functions/connection.ts";
import type { Frame } from "../functions/frame.ts";
import { confine } from "./confine/confine.ts";
import { findLinkOut } from "./confine/links.ts";
import { ALLOWED_SYS } from "./process_command.ts";
import {
  ComputeFrame,
  type Confinement,
  CONTROL_SOCKET,
  MAX_FRAME_BYTES,
  readStart,
  SERVER_SOCKET,
  type ServerStart,
  toPayload,
} from "./wire.ts";
import type { FromWorker, ToWorker } from "./worker/messages.ts";

/** Frames for the log in a second; a flood ends here, not at the platform. */
const MAX_LOGS_PER_SECOND = 2000;

/** Time in which last frames may leave before the process ends. */
const LAST_FRAMES_MS = 50;

/** The staged worker lies beside the compiled program's main module. */
function workerUrl(): URL {
  return Deno.build.standalone
    ? new URL("./compute_worker.js", Deno.mainModule)
    : new URL("./worker/worker_main.ts", import.meta.url);
}

/** What the server's thread needs of the program itself: it, or its source and Deno's cache. */
function runtimePaths(): string[] {
  if (Deno.build.standalone) return [Deno.execPath()];
  const cache = denoCache(Deno.env.toObject());
  return [Deno.execPath(), fileURLToPath(new URL("../", import.meta.url)), cache];
}

class ComputeProcess {
  #port: MessagePort | undefined;
  #confinement: Confinement | undefined;
  #lastError: string | undefined;
  #second = 0;
  #logs = 0;

  constructor(
    private readonly connection: FrameConnection,
    private readonly folder: string,
  ) {}

  take({ type, id, payload }: Frame): void {
    if (type === ComputeFrame.ping) this.#post({ type: "ping", id });
    else if (type === ComputeFrame.terminate) this.#post({ type: "terminate" });
    else if (type === ComputeFrame.start) void this.#start(readStart(payload));
  }

  #post(message: ToWorker): void {
    this.#port?.postMessage(message);
  }

  async #start(start: ServerStart): Promise<void> {
    // What is opened later, the kernel judges.
    const refused = await refuseForeignDescriptors();
    if (refused !== undefined) return this.#end(refused);
    Deno.chdir(start.directory);
    const socket = join(this.folder, SERVER_SOCKET);
    const confinement = confine({
      directory: start.directory,
      folder: this.folder,
      runtime: runtimePaths(),
      allowPrivate: start.allowPrivate,
    });
    this.#confinement = confinement;
    if (confinement.reason !== undefined && !start.allowUnsandboxed) {
      return this.#end(`The server was not started without its sandbox: ${confinement.reason}`);
    }
    const link = confinement.files ? undefined : findLinkOut(start.directory);
    if (link !== undefined) return this.#end(`The link ${link} leads out of the deployment`);
    const worker = new Worker(workerUrl(), {
      type: "module",
      name: "server",
      deno: {
        permissions: {
          read: [start.directory, socket],
          write: [socket],
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
    this.#post({ type: "start", start, socket });
  }

  #hear(message: FromWorker): void {
    switch (message.type) {
      case "log":
        return this.#log(message);
      case "prepared":
        this.#send(ComputeFrame.booted, {
          ...this.#confinement,
          residentBytes: Deno.memoryUsage().rss,
        });
        return this.#post({ type: "load" });
      case "listening":
        return this.#send(ComputeFrame.listening, {});
      case "pong":
        return this.connection.send({ type: ComputeFrame.pong, worker: 0, id: message.id });
      case "error":
        this.#lastError = message.message;
        return;
      case "ended":
        return this.#end(message.message);
    }
  }

  #log({ level, message, requestId }: Extract<FromWorker, { type: "log" }>): void {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#logs = 0;
    }
    if (++this.#logs > MAX_LOGS_PER_SECOND) return;
    this.#send(ComputeFrame.log, {
      level,
      message,
      ...(requestId === undefined ? {} : { requestId }),
    });
  }

  #send(type: number, head: object): void {
    this.connection.send({ type, worker: 0, id: 0, payload: toPayload(head) });
  }

  #end(message: string): void {
    this.#send(ComputeFrame.ended, { message: message.slice(0, 4000) });
    setTimeout(() => Deno.exit(1), LAST_FRAMES_MS);
  }
}

/** Lets the platform go first on a busy machine; the server's thread inherits it. */
function yieldToPlatform(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch { /* not allowed here: servers then compete as equals */ }
}

/**
 * Runs the server that the platform names over the control socket in `folder`,
 * and ends the process when the platform is gone. The platform ends its
 * processes itself when it is told to stop, so signals to the group are
 * ignored here.
 */
export async function runComputeProcess(folder: string): Promise<never> {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, () => {});
  }
  yieldToPlatform();
  const path = join(folder, CONTROL_SOCKET);
  const connection = new FrameConnection(
    await Deno.connect({ transport: "unix", path }),
    MAX_FRAME_BYTES,
  );
  const process = new ComputeProcess(connection, folder);
  try {
    await connection.receive((frame) => process.take(frame));
  } catch (error) {
    // The platform keeps the last words of a process for the log.
    Deno.stderr.writeSync(new TextEncoder().encode(String(error)));
    Deno.exit(1);
  }
  Deno.exit(0);
}

if (import.meta.main && !Deno.build.standalone) await runComputeProcess(Deno.args[0] ?? "");
