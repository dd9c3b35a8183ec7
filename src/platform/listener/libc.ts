/**
 * The functions of the C library for sockets that Deno has no words for.
 *
 * @module
 */

const SYMBOLS = {
  close: { parameters: ["i32"], result: "i32" },
  fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" },
  getpeername: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  getsockname: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  getsockopt: { parameters: ["i32", "i32", "i32", "buffer", "buffer"], result: "i32" },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
  shutdown: { parameters: ["i32", "i32"], result: "i32" },
} as const;

export type Libc = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

let opened: { readonly libc: Libc | undefined } | undefined;

function open(): Libc | undefined {
  if (Deno.build.os !== "linux") return undefined;
  try {
    return Deno.dlopen("libc.so.6", SYMBOLS).symbols;
  } catch {
    return undefined;
  }
}

/** The library, opened once; `undefined` where the system has another one. */
export function openLibc(): Libc | undefined {
  opened ??= { libc: open() };
  return opened.libc;
}

/** The descriptors of this process. */
export function* descriptors(): Generator<number> {
  for (const { name } of Deno.readDirSync("/proc/self/fd")) yield Number(name);
}
