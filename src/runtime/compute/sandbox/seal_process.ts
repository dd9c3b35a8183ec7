/**
 * @module Restricts a process that only computes: it keeps its open descriptors, reads the program
 * itself and writes its own folders, but cannot open other files or sockets, or start programs.
 */
import { always, Answer, whereArgument, writeProgram } from "../../kernel/seccomp_program.ts";
import { EPERM, PROCESSOR, type Processor } from "../../kernel/system_calls.ts";
import { installFilter } from "../../kernel/listener.ts";
import { limitDescriptors } from "../../kernel/limit_descriptors.ts";
import { openLibc, setNoNewPrivileges } from "../../kernel/libc.ts";
import { restrictFiles } from "../../kernel/landlock.ts";
import { REFUSED, SIGNALS } from "./seccomp_filter.ts";

/** The kernel's restrictions on this process. */
export interface SealState {
  /** Whether files and folders are restricted (Landlock). */
  readonly files: boolean;
  /** Whether sockets, programs and other processes are blocked (seccomp). */
  readonly network: boolean;
}

/**
 * Builds the filter for a process that only computes: it opens no socket, makes no connection,
 * starts no program and signals only itself.
 *
 * @param pid the process itself
 */
export function buildClosedFilter(processor: Processor, pid: number): Uint8Array<ArrayBuffer> {
  const refuse = Answer.fail(EPERM);
  return writeProgram(processor, [
    ...REFUSED.map((call) => always(call, refuse)),
    ...SIGNALS.map((call) =>
      whereArgument(call, { index: 0, among: [pid], then: Answer.allow, otherwise: refuse })
    ),
    ...(["socket", "connect", "listen"] as const).map((call) => always(call, refuse)),
  ]);
}

/**
 * Blocks files and the network for this thread, and for all threads that it starts from now on.
 * Features that the system lacks are skipped and reported.
 *
 * @param readable paths of the program itself, which stay readable
 * @param writable the process's own folders, which it can modify freely
 */
export function sealProcess(
  readable: readonly string[],
  writable: readonly string[] = [],
): SealState {
  const libc = openLibc();
  if (libc === undefined || !setNoNewPrivileges(libc)) return { files: false, network: false };
  limitDescriptors(libc);
  const rules = [
    ...readable.map((path) => ({ path, rights: "read" }) as const),
    ...writable.map((path) => ({ path, rights: "temporary" }) as const),
  ];
  const files = restrictFiles(libc, rules);
  const network = PROCESSOR !== undefined &&
    installFilter(libc, buildClosedFilter(PROCESSOR, Deno.pid)) !== undefined;
  return { files, network };
}
