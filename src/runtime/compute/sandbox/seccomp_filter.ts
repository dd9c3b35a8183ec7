/**
 * @module The system call filter for the process of a server on Deno. The filter blocks calls that
 * start programs or reach into other processes, and limits signals to the process itself. The
 * process's first thread decides whether to allow calls that name a peer, bind a socket or begin to
 * listen.
 */
import {
  always,
  Answer,
  whereArgument,
  wherePointer,
  writeProgram,
} from "../../kernel/seccomp_program.ts";
import { type CallName, EPERM, type Processor } from "../../kernel/system_calls.ts";

/**
 * Calls that start processes or programs, reach other processes, change mounts, namespaces or the
 * kernel itself, or use the kernel's keys or io_uring.
 */
export const REFUSED: readonly CallName[] = [
  "fork",
  "vfork",
  "execve",
  "execveat",
  "ptrace",
  "process_vm_readv",
  "process_vm_writev",
  "mount",
  "umount2",
  "unshare",
  "setns",
  "io_uring_setup",
  "io_uring_enter",
  "io_uring_register",
  "bpf",
  "add_key",
  "request_key",
  "keyctl",
  "pidfd_getfd",
  "pivot_root",
  "chroot",
  "perf_event_open",
  "kexec_load",
  "kexec_file_load",
  "init_module",
  "finit_module",
  "reboot",
  "userfaultfd",
  "open_tree",
  "move_mount",
  "fsopen",
  "fsmount",
  "mount_setattr",
  "tkill",
  "pidfd_send_signal",
];

/** Calls whose first argument is the process that gets a signal. */
export const SIGNALS: readonly CallName[] = [
  "kill",
  "rt_sigqueueinfo",
  "tgkill",
  "rt_tgsigqueueinfo",
];

/** Calls that name a socket address in memory, and the call that begins to listen. */
export const ASKED: readonly CallName[] = ["connect", "bind", "sendmsg", "sendmmsg", "listen"];

/**
 * Writes the filter.
 *
 * @param pid the process itself
 */
export function buildFilter(processor: Processor, pid: number): Uint8Array<ArrayBuffer> {
  const { allow, ask } = Answer;
  const refuse = Answer.fail(EPERM);
  return writeProgram(processor, [
    ...REFUSED.map((call) => always(call, refuse)),
    ...SIGNALS.map((call) =>
      whereArgument(call, { index: 0, among: [pid], then: allow, otherwise: refuse })
    ),
    ...ASKED.map((call) => always(call, ask)),
    // Most `sendto` calls name no peer. The filter allows those.
    wherePointer("sendto", { index: 4, given: ask, missing: allow }),
  ]);
}
