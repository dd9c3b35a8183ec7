/**
 * What servers of Node find in their process, where Deno has something else or
 * nothing: timers that are objects, and harmless answers about user and network.
 *
 * @module
 */
import os from "node:os";
import timers from "node:timers";

/** The one interface that a server has to do with. */
const LOOPBACK: Deno.NetworkInterfaceInfo = {
  name: "lo",
  family: "IPv4",
  address: "127.0.0.1",
  netmask: "255.0.0.0",
  scopeid: null,
  cidr: "127.0.0.1/8",
  mac: "00:00:00:00:00:00",
};

/** Gives the global timers `ref()`, `unref()` and `refresh()`; they are still good for a number. */
function useTimersOfNode(): void {
  const { unrefTimer, refTimer } = Deno;
  const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate } =
    timers;
  Object.assign(globalThis, {
    ...{ setTimeout, setInterval, setImmediate },
    ...{ clearTimeout, clearInterval, clearImmediate },
  });
  Object.assign(Deno, {
    unrefTimer: (timer: unknown) => unrefTimer(Number(timer)),
    refTimer: (timer: unknown) => refTimer(Number(timer)),
  });
}

/** Gives the server's code what it would find in Node. */
export function shapeLikeNode(home: string): void {
  useTimersOfNode();
  Object.assign(Deno, { networkInterfaces: () => [LOOPBACK] });
  const { uid, gid } = { uid: Deno.uid() ?? -1, gid: Deno.gid() ?? -1 };
  // The system's own would read the users of the machine.
  os.userInfo = (() => ({
    ...{ uid, gid, username: "svc", homedir: home, shell: null },
  })) as typeof os.userInfo;
}
