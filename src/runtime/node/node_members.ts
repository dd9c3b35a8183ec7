/** @module A server's Node processes. The first process that listens gets the requests. */
import { join } from "node:path";
import { ComputeFrame, type Ending, type ProcessLog, SERVER_SOCKET } from "../compute/wire.ts";
import type { Frame } from "../process/frames/frame.ts";
import { FrameConnection } from "../process/frames/frame_connection.ts";
import { fromPayload, toPayload } from "../process/frames/payload.ts";
import type { NodeListening } from "./preload/start.ts";

/** Maximum size of a payload that Node may send, in bytes. */
const MAX_NODE_FRAME_BYTES = 2 * 1024 * 1024;

/** Maximum number of connected processes, such as the workers of a cluster. */
const MAX_MEMBERS = 64;

/** Maximum number of waiting revalidation requests; further requests get no response. */
const MAX_ASKED = 1000;

/**
 * How long to wait for a server to listen on its assigned port after the server has listened on
 * another port, in milliseconds.
 */
const OTHER_MS = 1000;

/**
 * The same time, but for a server that requested any free port. Such a port is rarely meant for
 * requests.
 */
const ANY_MS = 5000;

/** Maximum number of additional ports that are distinguished and reported. */
const MAX_OTHERS = 16;

/** Node's first message, sent before it loads any of the server's code. */
type Greeting = { readonly runtime: string };

interface MembersOptions {
  /** Private folder of the process. */
  readonly folder: string;
  /** The server's own port, as the server sees it. */
  readonly port: number;
  /** Sends a frame to the platform. */
  readonly send: (type: number, payload: Uint8Array, id?: number) => void;
  /** Called once, with the name and version of the runtime. */
  readonly booted: (runtime: string) => void;
  /** Called when a process reports why it exits. */
  readonly ended: (message: string) => void;
}

export class NodeMembers {
  readonly #members = new Set<FrameConnection>();
  /** The process that receives requests and pings. */
  #server: FrameConnection | undefined;
  #greeted = false;
  #listens = false;
  /** Other ports that the server listens on. */
  readonly #others = new Set<number>();
  /** The alternative port for requests, while nothing listens on the server's own port. */
  #adopted: number | undefined;
  readonly #asked = new Map<number, { readonly member: FrameConnection; readonly id: number }>();
  #nextAsked = 1;

  readonly #options: MembersOptions;

  constructor(options: MembersOptions) {
    this.#options = options;
  }

  /** Whether the server has started to listen. */
  get listens(): boolean {
    return this.#listens;
  }

  /** Number of connected processes. */
  get size(): number {
    return this.#members.size;
  }

  /** Receives messages from a process until it disconnects. Never rejects. */
  async join(conn: Deno.Conn): Promise<void> {
    if (this.#members.size >= MAX_MEMBERS) return conn.close();
    const member = new FrameConnection(conn, MAX_NODE_FRAME_BYTES);
    this.#members.add(member);
    await member.receive((frame) => this.#take(member, frame)).catch(() => {});
    this.#members.delete(member);
    if (this.#server === member) this.#server = [...this.#members].at(-1);
    member.close();
  }

  /** Forwards a frame from the platform. */
  pass(frame: Frame): void {
    switch (frame.type) {
      case ComputeFrame.ping:
        return this.#server?.send(frame);
      case ComputeFrame.terminate:
        for (const member of this.#members) member.send(frame);
        return;
      case ComputeFrame.revalidated: {
        const asked = this.#asked.get(frame.id);
        this.#asked.delete(frame.id);
        return asked?.member.send({ ...frame, id: asked.id });
      }
    }
  }

  /**
   * Handles a message from Node. A greeting names only the runtime, because Node could claim
   * another process's ID or sandbox.
   */
  #take(member: FrameConnection, { type, id, payload }: Frame): void {
    switch (type) {
      case ComputeFrame.booted:
        if (this.#greeted) return;
        this.#greeted = true;
        this.#server ??= member;
        return this.#options.booted(fromPayload<Greeting>(payload).runtime);
      case ComputeFrame.listening:
        return this.#hearListening(member, fromPayload<NodeListening>(payload));
      case ComputeFrame.pong:
      case ComputeFrame.log:
        return this.#options.send(type, payload, id);
      case ComputeFrame.ended:
        return this.#options.ended(String(fromPayload<Ending>(payload).message));
      case ComputeFrame.revalidate:
        if (this.#asked.size >= MAX_ASKED) return;
        this.#asked.set(this.#nextAsked, { member, id });
        return this.#options.send(type, payload, this.#nextAsked++);
    }
  }

  #hearListening(member: FrameConnection, listening: NodeListening): void {
    const { greets = true, port, isAny = false } = listening;
    if (port === undefined) return this.#replaceAdopted(member, greets);
    if (port === this.#adopted) return this.#publish(member, false);
    if (this.#others.has(port) || this.#others.size >= MAX_OTHERS) return;
    if (!isAny) this.#others.add(port);
    if (this.#listens) return isAny ? undefined : this.#reportOther(port);
    setTimeout(() => {
      if (!this.#listens && this.#members.has(member)) this.#adopt(member, listening);
    }, isAny ? ANY_MS : OTHER_MS);
  }

  /** Sends requests to a different port, because nothing listens on the server's own port. */
  #adopt(member: FrameConnection, { port, refused }: NodeListening): void {
    if (refused !== undefined) return this.#log("warn", `Port ${port}: ${refused}`);
    const socket = join(this.#options.folder, SERVER_SOCKET);
    try {
      Deno.symlinkSync(`${SERVER_SOCKET}-${port}`, socket);
    } catch {
      return;
    }
    this.#others.delete(port!);
    this.#log(
      "info",
      `The server listens on port ${port}, not on $PORT (${this.#options.port}): ` +
        "requests are sent there",
    );
    this.#adopted = port;
    this.#publish(member, false);
  }

  /** Sends requests to the server's own port, even if they went to another port until now. */
  #replaceAdopted(member: FrameConnection, greets: boolean): void {
    if (this.#adopted !== undefined) {
      this.#listens = false;
      this.#others.add(this.#adopted);
      this.#adopted = undefined;
    }
    this.#publish(member, greets);
  }

  #publish(member: FrameConnection, greets: boolean): void {
    this.#server = member;
    if (this.#listens) return;
    this.#listens = true;
    this.#options.send(ComputeFrame.listening, toPayload({ greets }));
    for (const port of this.#others) this.#reportOther(port);
  }

  #reportOther(port: number): void {
    const own = this.#adopted ?? this.#options.port;
    this.#log(
      "info",
      `The server also listens on port ${port}, which only its own processes can reach. Requests go ` +
        `to port ${own}: serve everything that visitors need there`,
    );
  }

  #log(level: ProcessLog["level"], message: string): void {
    this.#options.send(ComputeFrame.log, toPayload({ level, message } satisfies ProcessLog));
  }
}
