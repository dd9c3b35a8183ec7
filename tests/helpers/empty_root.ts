/**
 * Runs the compiled program in a separate root file system. With `EMPTY_ROOT=libc`, that file
 * system contains only the C library. With `EMPTY_ROOT=tools`, it also contains this machine's
 * programs, which are read-only.
 *
 * @module
 */
import { join } from "node:path";
import { ROOT } from "../../scripts/_source_files.ts";

/** Programs that svc starts but that are not part of it. */
export type Tool = "sh" | "node" | "npm" | "git";

/** Returns options that skip a test if the platform or CLI lacks a program that the test needs. */
export function needs(..._tools: readonly [Tool, ...Tool[]]): { readonly ignore: boolean } {
  return { ignore: isEmpty() };
}

/** Registers tests like `Deno.test()`; {@link needs} may skip them. */
export function testNeeding(...tools: readonly [Tool, ...Tool[]]) {
  return (name: string, fn: (t: Deno.TestContext) => Promise<void>): void =>
    Deno.test({ name, ...needs(...tools), fn });
}

/** Whether the program can find only the C library. */
export const isEmpty = (): boolean => ["libc", "short"].includes(Deno.env.get("EMPTY_ROOT") ?? "");

/** Whether the program runs in its own root file system, which requires root privileges. */
export const isInRoot = (): boolean => Deno.env.get("EMPTY_ROOT") !== undefined;

/**
 * Returns the command that runs the program at `path`, in its own root file system if this test run
 * uses one.
 */
export function commandOf(path: string): {
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
} {
  return isInRoot()
    ? { program: Deno.env.get("SVC_BIN") ?? "", env: { SVC_EMPTY_ROOT_RUN: path } }
    : { program: path, env: {} };
}

/** Returns the path of the compiled program; empty if the tests run from source. */
export function programFile(): string {
  return isInRoot() ? join(ROOT, "dist", "svc") : Deno.env.get("SVC_BIN") ?? "";
}
