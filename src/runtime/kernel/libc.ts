/** @module The few functions of the C library that the sandboxes need. */
import { lazyLibc } from "../../lib/libc.ts";

const SYMBOLS = {
  open: { parameters: ["buffer", "i32", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  getsockname: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  getsockopt: { parameters: ["i32", "i32", "i32", "buffer", "buffer"], result: "i32" },
  /**
   * Runs on a separate thread. The kernel suspends the call, and the calling thread has to decide
   * in the meantime whether to allow it.
   */
  connect: { parameters: ["i32", "buffer", "u32"], result: "i32", nonblocking: true },
  prctl: { parameters: ["i32", "u64", "u64", "u64", "u64"], result: "i32" },
  /** `syscall` with a structure as the second argument. */
  callWith: {
    name: "syscall",
    parameters: ["i64", "buffer", "u64", "u64"],
    result: "i64",
  },
  /** `syscall` with numbers only. */
  call: { name: "syscall", parameters: ["i64", "i64", "i64", "i64"], result: "i64" },
  /** `syscall` with a structure as the fourth argument. */
  callFor: { name: "syscall", parameters: ["i64", "i64", "i64", "buffer", "u64"], result: "i64" },
  /** `syscall` with the maximum number of arguments; see `systemCall`. */
  systemCall: {
    name: "syscall",
    parameters: ["i64", "i64", "i64", "i64", "i64", "i64", "i64"],
    result: "i64",
  },
  signal: { parameters: ["i32", "u64"], result: "pointer" },
  errno: { name: "__errno_location", parameters: [], result: "pointer" },
  /** Waits for descriptors, outside the event loop. */
  poll: { parameters: ["buffer", "u64", "i32"], result: "i32", nonblocking: true },
  /** `ioctl` for requests that block, so it runs outside the event loop. */
  wait: {
    name: "ioctl",
    parameters: ["i32", "u64", "buffer"],
    result: "i32",
    nonblocking: true,
  },
  ioctl: { parameters: ["i32", "u64", "buffer"], result: "i32" },
} as const;

export type Libc = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

/** The library, which is opened once; `undefined` if the system has a different C library. */
export const openLibc: () => Libc | undefined = lazyLibc(SYMBOLS);

const PR_SET_NO_NEW_PRIVS = 38;

/**
 * Keeps this thread and its children from gaining privileges. Landlock and seccomp require this.
 */
export function setNoNewPrivileges(libc: Libc): boolean {
  return libc.prctl(PR_SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n) === 0;
}
