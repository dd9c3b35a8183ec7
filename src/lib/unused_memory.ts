/**
 * Giving memory back to the system that the allocator keeps although it is free, which is
 * some megabytes after the start of a large program. Linux with the GNU C library; elsewhere
 * nothing happens.
 *
 * @module
 */

const SYMBOLS = {
  malloc_trim: { parameters: ["usize"], result: "i32", nonblocking: true },
} as const;

type Libc = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

let opened: Libc | undefined;

function libc(): Libc | undefined {
  if (Deno.build.os !== "linux") return undefined;
  try {
    return opened ??= Deno.dlopen("libc.so.6", SYMBOLS).symbols;
  } catch {
    return undefined;
  }
}

/** Gives free memory of this process back; true where there was some. */
export async function releaseUnusedMemory(): Promise<boolean> {
  return (await libc()?.malloc_trim(0n)) === 1;
}
