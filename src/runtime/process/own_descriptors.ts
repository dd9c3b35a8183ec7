/**
 * @module Checks the open files of a process that runs project code. The kernel's sandbox checks
 * paths when they are opened, so files that are already open remain accessible. Each process
 * therefore checks its descriptors before it loads code.
 */
import { type Descriptor, openDescriptors } from "../../lib/descriptors.ts";

/** Files for the runtime's event loop and for the kernel's notifications (seccomp). */
const EVENT_LOOP: ReadonlySet<string> = new Set([
  "anon_inode:[eventpoll]",
  "anon_inode:[eventfd]",
  "anon_inode:[timerfd]",
  "anon_inode:seccomp notify",
]);

const STANDARD = 3;

const NOTHING = "/dev/null";

/**
 * Number of checks after which a file that is still open is reported, and the time between two
 * checks in milliseconds.
 */
const LOOKS = 20;
const PAUSE_MS = 10;

function isMeant(
  { number, target, inherited }: Descriptor,
  standard: ReadonlySet<string>,
): boolean {
  if (number < STANDARD) return target === NOTHING || target.startsWith("pipe:");
  // The runtime keeps copies of standard input, output and error.
  if (target === NOTHING || standard.has(target)) return true;
  if (inherited) return false;
  return EVENT_LOOP.has(target) || target.startsWith("socket:");
}

/**
 * Checks the descriptors of a process. Allows standard input, output and error on pipes or null
 * devices, the runtime's event loop, and sockets that the process opened itself.
 *
 * @returns the descriptors that must not be open to project code
 */
export function findForeignDescriptors(all: readonly Descriptor[]): readonly Descriptor[] {
  const standard = new Set(
    all.filter(({ number }) => number < STANDARD).map(({ target }) => target),
  );
  return all.filter((descriptor) => !isMeant(descriptor, standard));
}

const name = (found: readonly Descriptor[]): string =>
  found.map(({ number, target }) => `${number} (${target})`).join(", ");

/**
 * Finds descriptors that this process inherited, before it starts untrusted programs that must not
 * have them.
 *
 * @returns the reason why the process must not start these programs, or `undefined` if there are no
 * such descriptors
 */
export function refuseInheritedDescriptors(): string | undefined {
  const foreign = findForeignDescriptors(openDescriptors() ?? []).filter(({ inherited }) =>
    inherited
  );
  return foreign.length === 0
    ? undefined
    : `The process was started with file descriptors that a build must not access: ${
      name(foreign)
    }`;
}

/**
 * Checks the descriptors of this process before it loads project code.
 *
 * @returns the reason why the process must not load any project code; `undefined` if nothing else
 * is open, or if the system does not list descriptors because it is not Linux
 */
export async function refuseForeignDescriptors(): Promise<string | undefined> {
  for (let look = 1;; look++) {
    const all = openDescriptors();
    if (all === undefined) {
      return Deno.build.os === "linux"
        ? "The process cannot list its file descriptors: mount /proc"
        : undefined;
    }
    const foreign = findForeignDescriptors(all);
    if (foreign.length === 0) return undefined;
    // The runtime itself sometimes opens a file briefly.
    if (look < LOOKS && !foreign.some(({ inherited }) => inherited)) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      continue;
    }
    return `The process has file descriptors that deployed code must not access: ${name(foreign)}`;
  }
}
