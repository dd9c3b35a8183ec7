/**
 * The bodies of stored responses, and how a cache keeps them: in memory of its own, in a
 * pool that other threads read, or as places in the pool of another thread.
 *
 * @module
 */
import { type MemoryBody, toMemoryBody } from "../messages/mod.ts";
import type { BodyPool } from "./body_pool.ts";
import { type BodyPlace, pooledBytes } from "./pool_memory.ts";

/** A body in a pool, and what reads it. */
export class PooledBody {
  constructor(
    readonly place: BodyPlace,
    private readonly reader: { read(place: BodyPlace): MemoryBody | undefined },
  ) {}

  /** In bytes. */
  get length(): number {
    return this.place.length;
  }

  /** The body; `undefined` where the pool has it no more. */
  read(): MemoryBody | undefined {
    return this.reader.read(this.place);
  }
}

/** The body of a stored response. */
export type StoredBody = MemoryBody | PooledBody;

/** A stored body in memory; `undefined` where its pool has it no more. */
export function readBody(body: StoredBody): MemoryBody | undefined {
  return body instanceof PooledBody ? body.read() : body;
}

/**
 * How a cache keeps bodies: those that are in memory, or those of another cache by the
 * place where they lie.
 */
export interface BodyKeeper {
  /** Memory that counts for a body, in bytes. */
  cost(body: MemoryBody | BodyPlace): number;
  /** Keeps a body until `drop()`; `undefined` where there is no memory, or it is of the other kind. */
  keep(body: MemoryBody | BodyPlace): StoredBody | undefined;
  drop(body: StoredBody): void;
}

/** Whether a body lies in a pool. */
export function isPlace(body: MemoryBody | BodyPlace): body is BodyPlace {
  return typeof body !== "string" && !(body instanceof Uint8Array);
}

/** Bodies in memory of this thread's own. */
export class OwnBodies implements BodyKeeper {
  #textBytes = 0;

  /** @param textCapacity Most bytes of bodies that are kept as strings. */
  constructor(private readonly textCapacity: number) {}

  cost({ length }: MemoryBody | BodyPlace): number {
    return length;
  }

  keep(body: MemoryBody | BodyPlace): MemoryBody | undefined {
    if (isPlace(body)) return undefined;
    const kept = toMemoryBody(body, {
      mayBeText: this.#textBytes + body.length <= this.textCapacity,
    });
    if (typeof kept === "string") this.#textBytes += kept.length;
    return kept;
  }

  drop(body: StoredBody): void {
    if (typeof body === "string") this.#textBytes -= body.length;
  }
}

/** Bodies in a pool that other threads read. */
export class SharedBodies implements BodyKeeper {
  constructor(private readonly pool: BodyPool) {}

  cost({ length }: MemoryBody | BodyPlace): number {
    return pooledBytes(length);
  }

  keep(body: MemoryBody | BodyPlace): PooledBody | undefined {
    const place = isPlace(body) ? undefined : this.pool.put(body);
    return place && new PooledBody(place, this.pool);
  }

  drop(body: StoredBody): void {
    if (body instanceof PooledBody) this.pool.free(body.place);
  }
}
