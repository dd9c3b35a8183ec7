/** @module Limits the number of open files and sockets in a process that runs project code. */
import type { Libc } from "./libc.ts";
import { systemCall } from "./system_calls.ts";

/**
 * Maximum number of descriptors of a server. This is enough for all requests and WebSockets that
 * the platform sends it, each of which may need a connection to another server. The limit also
 * bounds the buffers of sockets and pipes: about 200 KiB of kernel memory per descriptor, which is
 * charged to no process.
 */
const MAX_DESCRIPTORS = 2560;

const RLIMIT_NOFILE = 7;

/** Limits the descriptors of this process and of the processes that it starts. */
export function limitDescriptors(libc: Libc): void {
  const limit = BigInt(MAX_DESCRIPTORS);
  const pair = new Uint8Array(BigUint64Array.of(limit, limit).buffer);
  systemCall(libc, "prlimit64", 0, RLIMIT_NOFILE, pair);
}
