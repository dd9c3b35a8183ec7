/** @module In-memory servers of a deployment, for tests: one handler for each layer. */
import type { Clock } from "../lib/clock.ts";
import type { ComputeFailure, ComputeRequest, ComputeSocketResult } from "../runtime/mod.ts";
import type { SiteCompute } from "./compute/compute_responder.ts";
import { IsrCache } from "./isr/isr_cache.ts";
import { IsrMemory } from "./isr/isr_memory.ts";
import type { IsrStore } from "./isr/types.ts";

/** An in-memory page store that outlives an `IsrCache`, as files outlive a process. */
export class MemoryIsrStore implements IsrStore {
  readonly pages = new Map<string, Uint8Array<ArrayBuffer>>();
  /** Files next to the pages. */
  readonly others = new Map<string, Uint8Array<ArrayBuffer>>();
  reads = 0;

  #filesOf(name: string) {
    return name.endsWith(".json") ? this.others : this.pages;
  }

  list() {
    return Promise.resolve(
      [...this.pages].map(([name, { byteLength }]) => ({ name, bytes: byteLength })),
    );
  }
  read(name: string) {
    if (!name.endsWith(".json")) this.reads++;
    return Promise.resolve(this.#filesOf(name).get(name));
  }
  write(name: string, bytes: Uint8Array) {
    this.#filesOf(name).set(name, bytes.slice());
    return Promise.resolve();
  }
  remove(name: string) {
    this.#filesOf(name).delete(name);
    return Promise.resolve();
  }
}

/** A server's handler. Returns a response, or the reason for a failure. */
export type TestServer = (
  request: Request,
  asked: ComputeRequest,
) => Response | ComputeFailure | Promise<Response | ComputeFailure>;

interface TestCompute extends SiteCompute {
  /** The requests to the servers, in order. */
  readonly asked: (ComputeRequest & { readonly layer: string })[];
  readonly errors: unknown[];
}

export interface ComputeWorld {
  readonly store?: IsrStore;
  readonly memory?: IsrMemory;
  readonly now?: Clock;
  /** Returns the result of an upgrade, which is a 426 by default. */
  connect?(request: Omit<ComputeRequest, "body">): ComputeSocketResult;
}

function toRequest({ method, target, headers, body }: ComputeRequest): Request {
  const fields = headers.map(([name, value]): [string, string] => [name, value]);
  return new Request(`http://server.test${target}`, { method, headers: fields, body });
}

function toResponse({ status, headers, body }: Response) {
  return { type: "response" as const, response: { status, headers: [...headers], body } };
}

/** Creates servers, keyed by the names of their layers. */
export function computeOf(
  servers: Readonly<Record<string, TestServer>>,
  world: ComputeWorld = {},
): TestCompute {
  const asked: TestCompute["asked"] = [];
  const errors: unknown[] = [];
  return {
    asked,
    errors,
    pages: new IsrCache({
      deploymentId: "deployment-1",
      store: world.store ?? new MemoryIsrStore(),
      memory: world.memory ?? new IsrMemory(),
      now: world.now ?? (() => Date.UTC(2026, 0, 1)),
      onError: (error) => errors.push(error),
    }),
    async fetch(layer, request) {
      asked.push({ ...request, layer });
      const answer = await servers[layer]!(toRequest(request), request);
      if (answer instanceof Response) return toResponse(answer);
      return { type: "failed", reason: answer, message: "as the test requires" };
    },
    connect: (layer, request) => {
      asked.push({ ...request, layer, body: null });
      return Promise.resolve(
        world.connect?.(request) ?? toResponse(new Response("no sockets", { status: 426 })),
      );
    },
  };
}
