/** @module Gives the process's first thread access to Node's memory and sockets. */
import { addressOf, EBADF, EFAULT, systemCall } from "../../kernel/system_calls.ts";
import type { Libc } from "../../kernel/libc.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Writes a struct iovec. */
function vector(address: bigint, bytes: number): Bytes {
  const view = new DataView(new ArrayBuffer(16));
  view.setBigUint64(0, address, true);
  view.setBigUint64(8, BigInt(bytes), true);
  return new Uint8Array(view.buffer);
}

export class ForeignProcess {
  readonly #libc: Libc;
  readonly #descriptor: number;

  private constructor(libc: Libc, readonly pid: number, descriptor: number) {
    this.#libc = libc;
    this.#descriptor = descriptor;
  }

  /** Returns access to a process, or `undefined` if the process has exited. */
  static open(libc: Libc, pid: number): ForeignProcess | undefined {
    const descriptor = systemCall(libc, "pidfd_open", pid, 0);
    return descriptor < 0 ? undefined : new ForeignProcess(libc, pid, descriptor);
  }

  /** Must be called when the process is no longer needed. */
  close(): void {
    this.#libc.close(this.#descriptor);
  }

  /** Returns a copy of the process's memory, or `undefined` if there is none at the address. */
  read(address: bigint, bytes: number): Bytes | undefined {
    const copy = new Uint8Array(bytes);
    if (bytes === 0) return copy;
    return this.#move("process_vm_readv", address, copy) === bytes ? copy : undefined;
  }

  /** @returns 0 or a negative error number */
  write(address: bigint, bytes: Bytes): number {
    return this.#move("process_vm_writev", address, bytes) === bytes.byteLength ? 0 : -EFAULT;
  }

  /**
   * Copies one of the process's descriptors, to use the same socket. The caller must close the
   * copy.
   *
   * @returns the copy, or a negative error number
   */
  lend(descriptor: number): number {
    const copy = systemCall(this.#libc, "pidfd_getfd", this.#descriptor, descriptor, 0);
    return copy < 0 ? -EBADF : copy;
  }

  #move(call: "process_vm_readv" | "process_vm_writev", address: bigint, bytes: Bytes): number {
    const here = vector(addressOf(bytes), bytes.byteLength);
    const there = vector(address, bytes.byteLength);
    return systemCall(this.#libc, call, this.pid, here, 1, there, 1, 0);
  }
}

/** Returns true if this system allows a process to copy a descriptor from its child process. */
export function canLendDescriptors(libc: Libc): boolean {
  const own = systemCall(libc, "pidfd_open", Deno.pid, 0);
  if (own < 0) return false;
  const copy = systemCall(libc, "pidfd_getfd", own, own, 0);
  if (copy >= 0) libc.close(copy);
  libc.close(own);
  return copy >= 0;
}
