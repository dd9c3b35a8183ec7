/**
 * Reads processes' descriptors as the system reports them, and opens a descriptor that child
 * processes inherit.
 */
import assert from "node:assert/strict";
import type { ProcessCommand } from "../../src/runtime/mod.ts";

/** Returns the targets of a process's descriptors, by number. */
export function descriptorsOf(pid: number): ReadonlyMap<number, string> {
  const folder = `/proc/${pid}/fd`;
  return new Map([...Deno.readDirSync(folder)].flatMap(({ name }) => {
    try {
      return [[Number(name), Deno.readLinkSync(`${folder}/${name}`)] as const];
    } catch {
      return [];
    }
  }));
}

/**
 * Returns a process's descriptors for files and folders, and for pipes other than standard output
 * and error.
 */
export function strayDescriptors(pid: number): readonly string[] {
  const all = descriptorsOf(pid);
  const standard = new Set([all.get(0), all.get(1), all.get(2)]);
  return [...all].flatMap(([number, target]) =>
    standard.has(target) || target === "/dev/null" || /^(?:socket|anon_inode):/.test(target)
      ? []
      : [`${number} ${target}`]
  );
}

const SYMBOLS = {
  open: { parameters: ["buffer", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
} as const;

const O_RDWR = 2;

/**
 * Opens a file as a shell does for a program, so that all processes that this one starts inherit
 * the open file.
 */
export function openForChildren(path: string): Disposable {
  const libc = Deno.dlopen("libc.so.6", SYMBOLS);
  const descriptor = libc.symbols.open(new TextEncoder().encode(`${path}\0`), O_RDWR);
  assert.ok(descriptor > 2);
  return {
    [Symbol.dispose]() {
      libc.symbols.close(descriptor);
      libc.close();
    },
  };
}

/** Extends a command so that it has a file open on descriptor 9, whatever starts the command. */
export function withOpenFile(
  { command, args, env }: ProcessCommand,
  path: string,
): ProcessCommand {
  return {
    command: "/bin/sh",
    args: ["-c", 'exec 9<>"$0"; exec "$@"', path, command, ...args],
    env,
  };
}
