/**
 * @module Returns the allocator's free memory to the system: a few megabytes after a large program
 * has started. Needs Linux with the GNU C library; does nothing elsewhere.
 */
import { lazyLibc } from "./libc.ts";

const SYMBOLS = {
  malloc_trim: { parameters: ["usize"], result: "i32", nonblocking: true },
} as const;

const libc = lazyLibc(SYMBOLS);

/** Returns free memory of this process to the system; true if there was any. */
export async function releaseUnusedMemory(): Promise<boolean> {
  return (await libc()?.malloc_trim(0n)) === 1;
}
