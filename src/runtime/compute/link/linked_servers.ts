/**
 * An edge thread's end of the links: it sends requests to the sockets of servers that
 * the platform supervises.
 *
 * @module
 */
import { isRepeatable, OutboundError } from "../../http1/mod.ts";
import { failed, failureOf, toResponse } from "../results.ts";
import { ServerClient } from "../server_client.ts";
import type { ComputeRequest, ComputeResult } from "../types.ts";
import type { Explained, LinkedFailure, ServerLease } from "./server_links.ts";
import { ServerSlot, type SharedSlots } from "../../process/slots/mod.ts";

export interface LinkedServersOptions {
  readonly slots: SharedSlots;
  /** This thread among the members of slots. */
  readonly member: number;
  /** Asks the platform what a failure means. */
  explain(failure: LinkedFailure): Promise<Explained>;
  /** Reports that a place was given back for which others wait. */
  left(slot: number): void;
}

/** The process of a server, until the platform closes it. */
export class LinkedServer {
  readonly #client: ServerClient;
  readonly #slot: ServerSlot;
  /** Ids of the requests under way here. */
  readonly #requests = new Set<string>();

  constructor(
    private readonly lease: ServerLease,
    private readonly options: LinkedServersOptions,
  ) {
    this.#slot = new ServerSlot(options.slots, lease.slot, options.member);
    this.#client = new ServerClient(() =>
      Deno.connect({ transport: "unix", path: lease.socketPath })
    );
    this.#client.greets = lease.greets;
  }

  get isOpen(): boolean {
    return this.#slot.isOpen(this.lease.generation);
  }

  /** Whether no response of the server so far is one to store. */
  get isPlain(): boolean {
    return this.#slot.isPlain;
  }

  /** Notes that a response of the server is one to store. */
  noteDeclared(): void {
    this.#slot.noteCaching(true);
  }

  /**
   * Sends a request; `undefined` where the platform has to answer it, whose body is not
   * read then. One that must not be sent twice fails where the platform has ended the
   * server under it. Never rejects.
   */
  fetch(request: ComputeRequest): Promise<ComputeResult | undefined> | undefined {
    const { generation, maxConcurrent } = this.lease;
    if (!this.#slot.enter(generation, maxConcurrent)) {
      this.#leave();
      return undefined;
    }
    this.#requests.add(request.requestId);
    this.#showOnly();
    return this.#send(request);
  }

  async #send(request: ComputeRequest): Promise<ComputeResult | undefined> {
    const { timeoutMs } = this.lease;
    const over = () => {
      if (!this.#requests.delete(request.requestId)) return;
      this.#showOnly();
      this.#leave();
    };
    try {
      const answer = await this.#client.send(request, { timeoutMs, over });
      this.#slot.succeeded();
      return { type: "response", response: toResponse(answer) };
    } catch (error) {
      return await this.#explain(error, request);
    }
  }

  #leave(): void {
    const { slot, generation } = this.lease;
    if (this.#slot.leave(generation)) this.options.left(slot);
  }

  #showOnly(): void {
    if (this.#requests.size !== 1) return;
    for (const id of this.#requests) this.#slot.showOnly(id);
  }

  async #explain(
    error: unknown,
    asked: ComputeRequest,
  ): Promise<ComputeResult | undefined> {
    const { method, target, requestId } = asked;
    const { slot, generation, timeoutMs } = this.lease;
    const failure = failureOf(error, timeoutMs);
    if (failure.reason === "aborted") return failure;
    const { code, message } = error instanceof OutboundError
      ? error
      : { code: undefined, message: String(error) };
    const request = { method, target, requestId };
    const explained = await this.options.explain({ slot, generation, code, message, request });
    if (explained !== "again") return explained;
    return isRepeatable(asked) ? undefined : failed("aborted", "The platform has ended the server");
  }
}

/** The servers that a thread may use, by deployment and layer. */
export class LinkedServers {
  readonly #servers = new Map<string, LinkedServer>();

  constructor(private readonly options: LinkedServersOptions) {}

  /** Takes a server that may be used from now on, in place of an earlier process of it. */
  opened(lease: ServerLease): void {
    this.#servers.set(keyOf(lease), new LinkedServer(lease, this.options));
  }

  /** The server of a layer, while it is open. */
  find(deploymentId: string, layer: string): LinkedServer | undefined {
    const key = keyOf({ deploymentId, layer });
    const server = this.#servers.get(key);
    if (server === undefined || server.isOpen) return server;
    this.#servers.delete(key);
    return undefined;
  }
}

function keyOf({ deploymentId, layer }: Pick<ServerLease, "deploymentId" | "layer">): string {
  return `${deploymentId} ${layer}`;
}
