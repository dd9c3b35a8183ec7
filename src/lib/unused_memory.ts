/**
 * Giving memory back to the system that the allocator keeps although it is free, which is
 * some megabytes after the start of a large program. Linux with the GNU C library; elsewhere
 * nothing happens.
 *
 * @module
 */
import { lazyLibc } from "./libc.ts";

const SYMBOLS = {
  malloc_trim: { parameters: ["usize"], result: "i32", nonblocking: true },
} as const;

const libc = lazyLibc(SYMBOLS);

/** Gives free memory of this process back; true if there was some. */
export async function releaseUnusedMemory(): Promise<boolean> {
  return (await libc()?.malloc_trim(0n)) === 1;
}
