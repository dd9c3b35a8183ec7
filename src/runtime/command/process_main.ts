/**
 * @module The process that runs a command as a server. The process runs no project code itself: it
 * starts the command in its sandbox, watches it, and reports its address to the platform. The
 * process and the command exit together.
 */
import { join } from "node:path";
import { unusedPort } from "../../lib/unused_port.ts";
import { findEscapingLink } from "../compute/sandbox/escaping_link.ts";
import { probeSandbox } from "../compute/sandbox/sandbox_support.ts";
import { LaunchError, type NodeEnd, type RunningNode } from "../node/sandbox/types.ts";
import type { OwnAddress } from "../node/sandbox/own_ports.ts";
import { prepareLaunch } from "../node/sandbox/launch_node.ts";
import type { Frame } from "../process/frames/frame.ts";
import type { FrameConnection } from "../process/frames/frame_connection.ts";
import { fromPayload, toPayload } from "../process/frames/payload.ts";
import { endWith, servePlatform, yieldToPlatform } from "../process/serve_platform.ts";
import { refuseForeignDescriptors } from "../process/own_descriptors.ts";
import {
  type Booted,
  ComputeFrame,
  CONTROL_SOCKET,
  type Dialled,
  type Listening,
  MAX_FRAME_BYTES,
  type ProcessLog,
  type ServerStart,
} from "../compute/wire.ts";
import { programCommand, SHELL } from "./program_command.ts";
import { Readiness, untilAccepts } from "./readiness.ts";

/** Time for sending the last frames before the process exits, in milliseconds. */
const LAST_FRAMES_MS = 50;

class CommandProcess {
  #program: RunningNode | undefined;
  #ended = false;
  /** The launch is prepared early, so its thread starts while the platform is still connecting. */
  readonly #launch = prepareLaunch();

  readonly #platform: FrameConnection;
  readonly #folder: string;

  constructor(
    platform: FrameConnection,
    /** The process's private folder. */
    folder: string,
  ) {
    this.#platform = platform;
    this.#folder = folder;
  }

  take({ type, id, payload }: Frame): void {
    switch (type) {
      case ComputeFrame.start:
        this.#start(fromPayload<ServerStart>(payload)).catch((error) =>
          this.#end(error instanceof LaunchError ? error.message : String(error))
        );
        return;
      case ComputeFrame.ping:
        return this.#platform.send({ type: ComputeFrame.pong, worker: 0, id });
      case ComputeFrame.terminate:
        return this.#program?.terminate();
    }
  }

  async #start(asked: ServerStart): Promise<void> {
    const refused = await refuseForeignDescriptors();
    if (refused !== undefined) return this.#end(refused);
    const isOpen = !probeSandbox().files;
    const link = isOpen ? findEscapingLink(asked.directory) : undefined;
    if (link !== undefined) return this.#end(`The link ${link} leads outside the deployment`);
    const start = isOpen ? { ...asked, port: unusedPort() } : asked;
    const readiness = new Readiness({
      port: start.port,
      ready: (address) => this.#listens(address),
      otherPort: (port) =>
        this.#log(
          "warn",
          `The server listens on port ${port}, not on $PORT (${start.port}): requests are sent there`,
        ),
    });
    const program = await this.#run(start, (port, at) => readiness.listens(port, at));
    this.#program = program;
    this.#boot(program);
    if (program.sandbox.kind === "open") {
      const own = { hostname: start.host, port: start.port };
      untilAccepts(own, () => !this.#ended)
        .then((accepts) => accepts && readiness.listens(own.port, own))
        .catch((error) => this.#log("error", `Cannot tell whether the server listens: ${error}`));
    }
    this.#leave(await program.ended);
  }

  async #run(
    start: ServerStart,
    listens: (port: number, at: OwnAddress) => void,
  ): Promise<RunningNode> {
    const { directory, allowPrivate, peers, routes, hosts, allowUnsandboxed, tmpMb, memoryMb } =
      start;
    const { image } = start.program ?? {};
    return await this.#launch({
      node: SHELL,
      processes: true,
      ...(image === undefined
        ? {}
        : { image: { root: join(directory, image.directory), workdir: image.workdir } }),
      toolchains: start.program?.toolchains ?? [],
      listens,
      directory,
      folder: this.#folder,
      files: [],
      command: (view) => programCommand(start, view),
      tmpMb,
      memoryMb,
      allowPrivate,
      peers,
      routes,
      hosts,
      allowUnsandboxed,
      announce: (port) => this.#announce(port),
    });
  }

  #boot({ pid, sandbox: { files, calls, reason } }: RunningNode): void {
    const booted: Booted = {
      files,
      calls,
      residentBytes: 0,
      pid,
      reason,
    };
    this.#platform.send({
      type: ComputeFrame.booted,
      worker: 0,
      id: 0,
      payload: toPayload(booted),
    });
  }

  #listens(address: OwnAddress): void {
    const payload = toPayload({ address } satisfies Listening);
    this.#platform.send({ type: ComputeFrame.listening, worker: 0, id: 0, payload });
  }

  #announce(port: number): void {
    const payload = toPayload({ port } satisfies Dialled);
    this.#platform.send({ type: ComputeFrame.dialled, worker: 0, id: 0, payload });
  }

  #log(level: ProcessLog["level"], message: string): void {
    const payload = toPayload({ level, message } satisfies ProcessLog);
    this.#platform.send({ type: ComputeFrame.log, worker: 0, id: 0, payload });
  }

  /** Exits once the command has exited. */
  #leave({ reason, code, signal }: NodeEnd): void {
    // The platform recognizes the reason for the exit by these words.
    if (reason === "memory") endWith("The server ran out of memory");
    const how = signal === null ? `with code ${code}` : `by ${signal}`;
    this.#end(
      reason === "disk"
        ? "The server exceeded its limit for temporary files"
        : `The server has stopped ${how}`,
    );
  }

  #end(message: string): void {
    if (this.#ended) return;
    this.#ended = true;
    const payload = toPayload({ message: message.slice(0, 4000) });
    this.#platform.send({ type: ComputeFrame.ended, worker: 0, id: 0, payload });
    setTimeout(() => Deno.exit(1), LAST_FRAMES_MS);
  }
}

/**
 * Runs the server that the platform names over the control socket in `folder`, and exits when
 * the platform disconnects.
 */
export async function runCommandProcess(folder: string): Promise<never> {
  yieldToPlatform();
  return await servePlatform({
    socketPath: join(folder, CONTROL_SOCKET),
    maxPayload: MAX_FRAME_BYTES,
    begin: (connection) => {
      const process = new CommandProcess(connection, folder);
      return (frame) => process.take(frame);
    },
  });
}

if (import.meta.main && !Deno.build.standalone) {
  await runCommandProcess(Deno.args[0] ?? "");
}
