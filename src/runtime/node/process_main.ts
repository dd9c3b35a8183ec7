/**
 * @module The process that runs a server on Node. The process runs no project code itself: it
 * starts Node, or a command that starts Node, in a sandbox. It supervises what it has started, and
 * passes frames between Node and the platform. Node and the command are stopped when this process
 * exits.
 */
import { join } from "node:path";
import { findEscapingLink } from "../compute/sandbox/escaping_link.ts";
import { probeSandbox } from "../compute/sandbox/sandbox_support.ts";
import type { Frame } from "../process/frames/frame.ts";
import type { FrameConnection } from "../process/frames/frame_connection.ts";
import { fromPayload, toPayload } from "../process/frames/payload.ts";
import { endWith, servePlatform, yieldToPlatform } from "../process/serve_platform.ts";
import { refuseForeignDescriptors } from "../process/own_descriptors.ts";
import { within } from "../process/timers.ts";
import { LaunchError, type NodeEnd, type RunningNode } from "./sandbox/types.ts";
import { prepareLaunch } from "./sandbox/launch_node.ts";
import {
  type Booted,
  ComputeFrame,
  CONTROL_SOCKET,
  type Dialled,
  MAX_FRAME_BYTES,
  SERVER_SOCKET,
  type ServerStart,
} from "../compute/wire.ts";
import { nodeCommand, preloadStart, toolScripts } from "./node_command.ts";
import { NodeMembers } from "./node_members.ts";
import { preloadText, readPreload } from "./preload_text.ts";

/** Socket in the private folder where this process waits for Node. */
const NODE_SOCKET = "n";

/**
 * Name of the file that contains the module that Node loads first. The file is in the private
 * folder.
 */
const PRELOAD = "preload.cjs";

/**
 * Name of the folder that contains the programs that a command finds by name. It is in the private
 * folder.
 */
const PROGRAMS = "bin";

/** Time to read and send the last frames before the process exits, in milliseconds. */
const LAST_FRAMES_MS = 50;

/** Maximum memory of Node before it has loaded a server, in MiB. */
const MAX_BASE_MB = 96;

/** Additional memory for a command's package manager and shells, in MiB. */
const MAX_COMMAND_MB = 128;

const MIB = 1024 * 1024;

/** Maximum time for a command to restart its server after the server exits, in milliseconds. */
const RESTART_MS = 5000;

interface NodeProcessOptions {
  /** Private folder of the process. */
  readonly folder: string;
  /** The preload, if the program runs from source. */
  readonly preload: string | undefined;
}

class NodeProcess {
  #members: NodeMembers | undefined;
  #node: RunningNode | undefined;
  #command: string | undefined;
  #passedEnd = false;
  /** Why the last process exited, as reported by that process. */
  #reason: string | undefined;
  #terminated = false;

  /** The launch is prepared early, so its thread starts while the platform is still connecting. */
  readonly #startNode = prepareLaunch();

  readonly #platform: FrameConnection;
  readonly #options: NodeProcessOptions;

  constructor(platform: FrameConnection, options: NodeProcessOptions) {
    this.#platform = platform;
    this.#options = options;
  }

  take(frame: Frame): void {
    if (frame.type === ComputeFrame.start) {
      this.#start(fromPayload<ServerStart>(frame.payload)).catch((error) =>
        this.#end(error instanceof LaunchError ? error.message : String(error))
      );
      return;
    }
    this.#terminated ||= frame.type === ComputeFrame.terminate;
    this.#members?.pass(frame);
    this.#terminateRest();
  }

  async #start(start: ServerStart): Promise<void> {
    const refused = await refuseForeignDescriptors();
    if (refused !== undefined) return this.#end(refused);
    const link = probeSandbox().files ? undefined : findEscapingLink(start.directory);
    if (link !== undefined) return this.#end(`The link ${link} leads outside the deployment`);
    const { folder } = this.#options;
    const listener = Deno.listen({ transport: "unix", path: join(folder, NODE_SOCKET) });
    this.#command = start.command;
    const members = new NodeMembers({
      folder,
      port: start.port,
      send: (type, payload, id = 0) => this.#platform.send({ type, worker: 0, id, payload }),
      booted: (runtime) => this.#sendBooted(runtime),
      ended: (message) => this.#noteEnd(message),
    });
    this.#members = members;
    const node = this.#node = await this.#launch(start);
    const heard = start.command === undefined
      ? this.#hearOne(listener, node)
      : this.#hearAll(listener, node);
    const end = await node.ended;
    listener.close();
    await within(heard, LAST_FRAMES_MS);
    this.#leave(end);
  }

  /** Serves Node's only connection, and stops Node when the connection closes. */
  async #hearOne(listener: Deno.UnixListener, node: RunningNode): Promise<void> {
    const conn = await listener.accept().catch(() => undefined);
    if (conn === undefined) return;
    await this.#members?.join(conn);
    node.kill();
  }

  /**
   * Accepts all of a command's listening processes, because one process can start another process
   * that replaces it.
   */
  async #hearAll(listener: Deno.UnixListener, node: RunningNode): Promise<void> {
    const heard = new Set<Promise<void>>();
    try {
      for await (const conn of listener) {
        const member = this.#members!.join(conn).finally(() => {
          heard.delete(member);
          this.#missServer(node);
        });
        heard.add(member);
      }
    } catch { /* it is already closed */ }
    await Promise.all(heard);
  }

  /** Stops a command if its server has exited and the command does not start another one. */
  #missServer(node: RunningNode): void {
    this.#terminateRest();
    setTimeout(() => {
      if (this.#members?.size === 0) node.kill();
    }, RESTART_MS);
  }

  /** After SIGTERM, stops the command once all servers that it started have exited. */
  #terminateRest(): void {
    if (this.#terminated && this.#command !== undefined && this.#members?.size === 0) {
      this.#node?.terminate();
    }
  }

  async #launch(start: ServerStart): Promise<RunningNode> {
    const { folder, preload } = this.#options;
    const { directory, allowPrivate, peers, routes, hosts, allowUnsandboxed } = start;
    const { tmpMb, memoryMb, nodeBinary } = start;
    if (nodeBinary === undefined) throw new TypeError("The path of the Node executable is missing");
    const file = join(folder, PRELOAD);
    const code = await readPreload(preload);
    // The file must exist before its text is known, because the text contains the paths that Node
    // sees.
    await Deno.writeTextFile(file, "");
    const { command, tools = [] } = start;
    const isCommand = command !== undefined;
    const programs = join(folder, PROGRAMS);
    if (isCommand) await makeOpenFolder(programs);
    return await this.#startNode({
      node: nodeBinary,
      directory,
      folder,
      controlSocket: NODE_SOCKET,
      serverSocket: SERVER_SOCKET,
      files: [file],
      ...(isCommand ? { programs: [programs, ...tools.map((tool) => tool.folder)] } : {}),
      processes: isCommand,
      command: (view) => {
        Deno.writeTextFileSync(file, preloadText(code, preloadStart(start, view)));
        if (isCommand) writePrograms(programs, toolScripts(start, view));
        return nodeCommand(start, view);
      },
      tmpMb,
      memoryMb: memoryMb + MAX_BASE_MB + (isCommand ? MAX_COMMAND_MB : 0),
      allowPrivate,
      peers,
      routes,
      hosts,
      announce: (port) => this.#announce(port),
      allowUnsandboxed,
    });
  }

  #sendBooted(runtime: string): void {
    const { pid, sandbox: { files, calls, reason } } = this.#node!;
    const booted: Booted = {
      files,
      calls,
      reason,
      residentBytes: Math.min(this.#node!.residentBytes(), MAX_BASE_MB * MIB),
      pid,
      runtime,
    };
    const payload = toPayload(booted);
    this.#platform.send({ type: ComputeFrame.booted, worker: 0, id: 0, payload });
  }

  /**
   * Reports why Node exited. For a command, only stores the reason, because the server may restart.
   */
  #noteEnd(message: string): void {
    if (this.#command !== undefined) {
      this.#reason = message;
      return;
    }
    this.#passedEnd = true;
    this.#sendEnd(message);
  }

  #announce(port: number): void {
    const payload = toPayload({ port } satisfies Dialled);
    this.#platform.send({ type: ComputeFrame.dialled, worker: 0, id: 0, payload });
  }

  /** Exits after Node has stopped. */
  #leave(end: NodeEnd): void {
    if (this.#passedEnd) return this.#exit();
    if (end.reason === "memory") endWith("Node ran out of memory");
    if (this.#command === undefined) endWith(end.message);
    this.#end(this.#reason ?? this.#describeEnd(end));
  }

  #describeEnd({ reason, code, signal, message }: NodeEnd): string {
    if (reason === "disk") return message;
    const how = signal === null ? `code ${code}` : signal;
    const shown = JSON.stringify(this.#command);
    return this.#members?.listens === true
      ? `The start command ${shown} exited (${how})`
      : `The start command ${shown} exited (${how}) before a server listened: it must listen on ` +
        "process.env.PORT and keep running";
  }

  #end(message: string): void {
    this.#sendEnd(message);
    this.#exit();
  }

  #sendEnd(message: string): void {
    const payload = toPayload({ message: message.slice(0, 4000) });
    this.#platform.send({ type: ComputeFrame.ended, worker: 0, id: 0, payload });
  }

  #exit(): void {
    setTimeout(() => Deno.exit(1), LAST_FRAMES_MS);
  }
}

/** Creates a folder that a server running as another user can read. */
async function makeOpenFolder(path: string): Promise<void> {
  await Deno.mkdir(path);
  await Deno.chmod(path, 0o755);
}

function writePrograms(folder: string, scripts: ReadonlyMap<string, string>): void {
  for (const [name, text] of scripts) {
    const path = join(folder, name);
    Deno.writeTextFileSync(path, text);
    Deno.chmodSync(path, 0o755);
  }
}

/**
 * Runs a server on Node and exits when the platform disconnects. The platform names the
 * server over the control socket in `folder`.
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
