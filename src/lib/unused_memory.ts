/**
 * @module Returns the allocator's free memory to the system. After a large program has started,
 * this is a few megabytes. This requires Linux with the GNU C library. On other systems, it does
 * nothing.
 */
import { lazyLibc } from "./libc.ts";

const SYMBOLS = {
  malloc_trim: { parameters: ["usize"], result: "i32", nonblocking: true },
} as const;

const libc = lazyLibc(SYMBOLS);

/** Returns this process's free memory to the system. True if there was any. */
export async function releaseUnusedMemory(): Promise<boolean> {
  return (await libc()?.malloc_trim(0n)) === 1;
}
