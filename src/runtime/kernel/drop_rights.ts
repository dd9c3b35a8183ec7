/** @module Drops all privileges of this thread and its children. */
import { type Libc, setNoNewPrivileges } from "./libc.ts";
import { systemCall } from "./system_calls.ts";

const PR_CAPBSET_DROP = 24;
const PR_CAP_AMBIENT = 47;
const PR_CAP_AMBIENT_CLEAR_ALL = 4;

/** A number above the last capability of any kernel. */
const CAPABILITIES = 64;

const CAPABILITY_VERSION = 0x20080522;

/**
 * Drops all capabilities and, if a user is given, becomes that user. This affects only the current
 * thread, whereas the C library's own functions would affect all threads.
 *
 * @returns false if the user cannot be changed, or the capabilities cannot be dropped
 */
export function dropRights(libc: Libc, uid?: number): boolean {
  systemCall(libc, "prctl", PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL);
  for (let each = 0; each < CAPABILITIES; each++) systemCall(libc, "prctl", PR_CAPBSET_DROP, each);
  if (uid !== undefined) {
    const results = [
      systemCall(libc, "setgroups", 0),
      systemCall(libc, "setresgid", uid, uid, uid),
      systemCall(libc, "setresuid", uid, uid, uid),
    ];
    if (results.some((result) => result !== 0)) return false;
  }
  const header = new Uint8Array(Uint32Array.of(CAPABILITY_VERSION, 0).buffer);
  const none = new Uint8Array(24);
  return systemCall(libc, "capset", header, none) === 0 && setNoNewPrivileges(libc);
}
