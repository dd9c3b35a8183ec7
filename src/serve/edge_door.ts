/** Connects the platform to the edge in the same process, which is created later. @module */
import type { EdgeHandler } from "../edge/mod.ts";

export class EdgeDoor {
  #edge: EdgeHandler | undefined;
  readonly #scheme: "http" | "https";

  constructor(publicOrigin: string) {
    this.#scheme = publicOrigin.startsWith("https:") ? "https" : "http";
  }

  /** Routes requests to the edge. */
  open(edge: EdgeHandler): void {
    this.#edge = edge;
  }

  /** Sends a request to the edge as a client on this machine. */
  readonly ask = async (request: Request): Promise<Response> => {
    if (this.#edge === undefined) throw new Error("The platform is still starting");
    return await this.#edge(request, { remoteAddress: "127.0.0.1", scheme: this.#scheme });
  };
}
