/** @module The maximum number of open files and sockets of a process that runs project code. */
import type { Libc } from "./libc.ts";
import { systemCall } from "./system_calls.ts";

/**
 * Maximum number of descriptors of a server: enough for as many requests and WebSockets as the
 * platform sends it, each with a connection elsewhere. The buffers of sockets and pipes are kernel
 * memory that no process accounts for, about 200 KiB per descriptor, so the number of descriptors
 * limits them.
 */
const MAX_DESCRIPTORS = 2560;

const RLIMIT_NOFILE = 7;

/** Limits the descriptors of this process, and of the processes that it starts. */
export function limitDescriptors(libc: Libc): void {
  const limit = BigInt(MAX_DESCRIPTORS);
  const pair = new Uint8Array(BigUint64Array.of(limit, limit).buffer);
  systemCall(libc, "prlimit64", 0, RLIMIT_NOFILE, pair);
}
