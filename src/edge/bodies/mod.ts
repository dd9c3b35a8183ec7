/**
 * The bodies of cached responses: once in memory, however many edge threads there are.
 *
 * @module
 */
import { BodyPool } from "./body_pool.ts";
import { BorrowedBodies } from "./borrowed_bodies.ts";
import { type PoolMemory, PoolReader } from "./pool_memory.ts";
import { type BodyKeeper, SharedBodies } from "./stored_body.ts";

export { type BodyPlace, type PoolMemory, sharePool } from "./pool_memory.ts";
export {
  type BodyKeeper,
  OwnBodies,
  PooledBody,
  readBody,
  type StoredBody,
} from "./stored_body.ts";

/** Keeps bodies in memory that other threads read. Only one thread may do so. */
export function shareBodies(memory: PoolMemory): BodyKeeper {
  return new SharedBodies(new BodyPool(memory));
}

/**
 * Keeps bodies that lie in the memory of another thread, and up to `capacity` bytes of
 * those in use here as well.
 */
export function borrowBodies(memory: PoolMemory, capacity: number): BodyKeeper {
  return new BorrowedBodies(new PoolReader(memory), capacity);
}
