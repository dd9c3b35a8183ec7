/** C library socket functions that Deno does not offer. @module */
import { lazyLibc } from "../../../lib/libc.ts";

const SYMBOLS = {
  bind: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" },
  getpeername: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  getsockname: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  getsockopt: { parameters: ["i32", "i32", "i32", "buffer", "buffer"], result: "i32" },
  ioctl: { parameters: ["i32", "usize", "buffer"], result: "i32" },
  listen: { parameters: ["i32", "i32"], result: "i32" },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  shutdown: { parameters: ["i32", "i32"], result: "i32" },
} as const;

export type Libc = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

/** Opens the library once; returns `undefined` if the system has a different C library. */
export const openLibc: () => Libc | undefined = lazyLibc(SYMBOLS);

const F_GETFD = 1;
/** Maximum number of file descriptors to examine. */
const MOST = 1_048_576;

/**
 * Returns this process's file descriptors. If no file descriptor is free for listing the folder,
 * assumes that the numbers have no gaps.
 */
export function descriptors(): readonly number[] {
  try {
    return [...Deno.readDirSync("/proc/self/fd")].map(({ name }) => Number(name));
  } catch {
    const libc = openLibc();
    const open: number[] = [];
    while ((libc?.fcntl(open.length, F_GETFD, 0) ?? -1) !== -1 && open.length < MOST) {
      open.push(open.length);
    }
    return open;
  }
}
