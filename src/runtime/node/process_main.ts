/**
 * The process that runs a server on Node. It runs no foreign code itself: it
 * starts Node in its sandbox, watches that, and passes frames between Node and
 * the platform. Both end with it.
 *
 * @module
 */
import { join } from "node:path";
import { findEscapingLink, probeSandbox } from "../compute/sandbox/mod.ts";
import {
  type Booted,
  ComputeFrame,
  CONTROL_SOCKET,
  MAX_FRAME_BYTES,
  SERVER_SOCKET,
  type ServerStart,
} from "../compute/wire.ts";
import { type Frame, FrameConnection, fromPayload, toPayload } from "../process/frames/mod.ts";
import {
  endWith,
  refuseForeignDescriptors,
  servePlatform,
  within,
  yieldToPlatform,
} from "../process/mod.ts";
import { nodeCommand, preloadStart } from "./node_command.ts";
import { preloadText, readPreload } from "./preload_text.ts";
import { LaunchError, type NodeEnd, prepareLaunch, type RunningNode } from "./sandbox/mod.ts";

/** Socket in the private folder at which this process waits for Node. */
const NODE_SOCKET = "n";

/** Name of the module that Node loads first, in the private folder. */
const PRELOAD = "preload.cjs";

/** Largest payload that Node may send, in bytes. */
const MAX_NODE_FRAME_BYTES = 2 * 1024 * 1024;

/** Time in which the last frames are read and sent before the process ends, in milliseconds. */
const LAST_FRAMES_MS = 50;

/** Memory that Node takes before it has loaded a server, at most; in MiB. */
const MAX_BASE_MB = 96;
const MIB = 1024 * 1024;

/** What Node may say; it may not claim to be another process, or in another sandbox. */
const PASSED_ON: ReadonlySet<number> = new Set([
  ComputeFrame.listening,
  ComputeFrame.pong,
  ComputeFrame.log,
  ComputeFrame.ended,
  ComputeFrame.revalidate,
]);

/** What Node says first, before it has loaded any code of the server. */
type Greeting = { readonly runtime: string };

class NodeProcess {
  #node: FrameConnection | undefined;
  #greeted = false;
  #ended = false;

  /** Its thread starts while the platform still connects. */
  readonly #startNode = prepareLaunch();

  constructor(
    private readonly platform: FrameConnection,
    private readonly options: {
      /** Private folder of the process. */
      readonly folder: string;
      /** The preload, where the program runs from source. */
      readonly preload: string | undefined;
    },
  ) {}

  take(frame: Frame): void {
    switch (frame.type) {
      case ComputeFrame.start:
        this.#start(fromPayload<ServerStart>(frame.payload)).catch((error) =>
          this.#end(error instanceof LaunchError ? error.message : String(error))
        );
        return;
      case ComputeFrame.ping:
      case ComputeFrame.terminate:
      case ComputeFrame.revalidated:
        return this.#node?.send(frame);
    }
  }

  async #start(start: ServerStart): Promise<void> {
    const refused = await refuseForeignDescriptors();
    if (refused !== undefined) return this.#end(refused);
    const link = probeSandbox().files ? undefined : findEscapingLink(start.directory);
    if (link !== undefined) return this.#end(`The link ${link} leads out of the deployment`);
    const listener = Deno.listen({
      transport: "unix",
      path: join(this.options.folder, NODE_SOCKET),
    });
    const node = await this.#launch(start);
    const conn = await Promise.race([listener.accept(), node.ended]);
    listener.close();
    if ("reason" in conn) return this.#leave(conn);
    this.#node = new FrameConnection(conn, MAX_NODE_FRAME_BYTES);
    const heard = this.#node.receive((frame) => this.#hear(frame, node))
      .finally(() => node.kill());
    const end = await node.ended;
    await within(heard.catch(() => {}), LAST_FRAMES_MS);
    this.#leave(end);
  }

  async #launch(start: ServerStart): Promise<RunningNode> {
    const { folder, preload } = this.options;
    const { directory, allowPrivate, peers, allowUnsandboxed, tmpMb, memoryMb, nodeBinary } = start;
    if (nodeBinary === undefined) throw new TypeError("The path of the Node binary is missing");
    const file = join(folder, PRELOAD);
    const code = await readPreload(preload);
    // It is shown to Node before its text is known, which names the paths that Node sees.
    await Deno.writeTextFile(file, "");
    return await this.#startNode({
      node: nodeBinary,
      directory,
      folder,
      controlSocket: NODE_SOCKET,
      serverSocket: SERVER_SOCKET,
      files: [file],
      command: (view) => {
        Deno.writeTextFileSync(file, preloadText(code, preloadStart(start, view)));
        return nodeCommand(start, view);
      },
      tmpMb,
      memoryMb: memoryMb + MAX_BASE_MB,
      allowPrivate,
      peers,
      allowUnsandboxed,
    });
  }

  #hear({ type, id, payload }: Frame, node: RunningNode): void {
    if (type === ComputeFrame.booted && !this.#greeted) {
      this.#greeted = true;
      const { runtime } = fromPayload<Greeting>(payload);
      const { pid, sandbox: { files, calls, reason } } = node;
      const booted: Booted = {
        files,
        calls,
        ...(reason === undefined ? {} : { reason }),
        residentBytes: Math.min(node.residentBytes(), MAX_BASE_MB * MIB),
        pid,
        runtime,
      };
      return this.platform.send({ type, worker: 0, id: 0, payload: toPayload(booted) });
    }
    if (!PASSED_ON.has(type)) return;
    this.#ended ||= type === ComputeFrame.ended;
    this.platform.send({ type, worker: 0, id, payload });
  }

  /** Ends this process after Node has ended. */
  #leave({ reason, message }: NodeEnd): void {
    if (this.#ended) return this.#exit();
    endWith(reason === "memory" ? "Node ran out of memory" : message);
  }

  #end(message: string): void {
    const payload = toPayload({ message: message.slice(0, 4000) });
    this.platform.send({ type: ComputeFrame.ended, worker: 0, id: 0, payload });
    this.#exit();
  }

  #exit(): void {
    setTimeout(() => Deno.exit(1), LAST_FRAMES_MS);
  }
}

/**
 * Runs the server that the platform names over the control socket in `folder` on
 * Node, and ends the process when the platform is gone.
 */
export async function runNodeProcess(folder: string, preload?: string): Promise<never> {
  yieldToPlatform();
  return await servePlatform({
    socketPath: join(folder, CONTROL_SOCKET),
    maxPayload: MAX_FRAME_BYTES,
    begin: (connection) => {
      const process = new NodeProcess(connection, { folder, preload });
      return (frame) => process.take(frame);
    },
  });
}

if (import.meta.main && !Deno.build.standalone) {
  await runNodeProcess(Deno.args[0] ?? "", Deno.args[1]);
}
