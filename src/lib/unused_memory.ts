/**
 * @module Returns the allocator's free memory to the system: a few megabytes after a large program
 * has started. This requires Linux with the GNU C library. On other systems, this module does
 * nothing.
 */
import { lazyLibc } from "./libc.ts";

const SYMBOLS = {
  malloc_trim: { parameters: ["usize"], result: "i32", nonblocking: true },
} as const;

const libc = lazyLibc(SYMBOLS);

/** Gives this process's free memory back to the system. Returns true if there was any. */
export async function releaseUnusedMemory(): Promise<boolean> {
  return (await libc()?.malloc_trim(0n)) === 1;
}
