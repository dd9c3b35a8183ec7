/** @module The kernel's restrictions on a server, in addition to the runtime's permissions. */
import { canSupervise } from "../../kernel/listener.ts";
import { landlockVersion } from "../../kernel/landlock.ts";
import { openLibc } from "../../kernel/libc.ts";

/** The parts of the sandbox that the kernel provides. A server needs all of them. */
export interface SandboxSupport {
  /** Files, TCP ports to listen on, and signals can be restricted (Landlock). */
  readonly files: boolean;
  /** Programs, and private, local and reserved addresses, can be blocked (seccomp). */
  readonly calls: boolean;
}

/** The sandbox around the server's thread, in addition to the runtime's permissions. */
export interface SandboxState extends SandboxSupport {
  /** Why the sandbox is incomplete. */
  readonly reason?: string;
}

/** Asks the kernel what it supports, without changing anything. */
export function probeSandbox(): SandboxSupport {
  const libc = openLibc();
  return libc === undefined
    ? { files: false, calls: false }
    : { files: landlockVersion(libc) > 0, calls: canSupervise(libc) };
}

/** Returns the missing parts of a sandbox, each as a noun phrase, or none if it is complete. */
export function missingSandbox({ files, calls }: SandboxSupport): readonly string[] {
  return [
    ...(files ? [] : ["Landlock (which blocks access to files)"]),
    ...(calls ? [] : ["seccomp (which blocks private addresses)"]),
  ];
}

/** Advice for operators if a feature is missing. */
export const SANDBOX_ADVICE =
  "Run the platform on Linux 5.13 or later with the GNU C library, Landlock (lsm=landlock,…) " +
  "and seccomp; svc serve --allow-unsandboxed-servers runs servers without a sandbox, for code that you " +
  "trust with everything that the platform can reach";
