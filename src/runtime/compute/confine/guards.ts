/**
 * What the system lets a sandbox close beyond the permissions of the runtime.
 *
 * @module
 */
import { landlockVersion } from "./landlock.ts";
import { openLibc } from "./libc.ts";
import { canSupervise } from "./supervisor.ts";

export interface Guard {
  readonly enforced: boolean;
  /** By what it is enforced, or what is open and why. */
  readonly how: string;
}

/** Whether private, local and reserved addresses are closed to servers of deployments. */
export function networkGuard(): Guard {
  const libc = openLibc();
  if (libc !== undefined && canSupervise(libc)) {
    return { enforced: true, how: "The kernel asks before each connection (seccomp)" };
  }
  return Deno.build.standalone
    ? { enforced: false, how: "Servers of deployments can reach private addresses" }
    : { enforced: false, how: "Private addresses of IPv4 are closed by Deno, those of IPv6 open" };
}

/** Whether the kernel closes the platform's files to servers of deployments. */
export function fileGuard(): Guard {
  const libc = openLibc();
  const version = libc === undefined ? 0 : landlockVersion(libc);
  if (version > 0) return { enforced: true, how: `The kernel closes files (Landlock ${version})` };
  return Deno.build.standalone
    ? { enforced: false, how: "Servers can import JavaScript and JSON files of this machine" }
    : { enforced: true, how: "Deno closes files" };
}
