/**
 * @module The filter of system calls of the process of a server on Deno: calls that start programs
 * or reach into others are refused, signals can only go to the process itself, and calls that name
 * a peer or begin to listen are decided by the process's first thread.
 */
import {
  always,
  Answer,
  whereArgument,
  wherePointer,
  writeProgram,
} from "../../kernel/seccomp_program.ts";
import { type CallName, EPERM, type Processor } from "../../kernel/system_calls.ts";

/** Programs, other processes, mounts and namespaces, the kernel itself, its keys and rings. */
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

/** Calls that name an address in memory, or begin to listen. */
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
    // Most calls of `sendto` name no peer: the kernel handles those.
    wherePointer("sendto", { index: 4, given: ask, missing: allow }),
  ]);
}
