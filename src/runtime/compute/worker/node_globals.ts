/**
 * @module Node APIs that servers expect and Deno lacks or implements differently: timers as
 * objects, all methods of requests and responses, and harmless values for the user and the network.
 */
import http from "node:http";
import os from "node:os";
import timers from "node:timers";

/** A server's only network interface. */
const LOOPBACK: Deno.NetworkInterfaceInfo = {
  name: "lo",
  family: "IPv4",
  address: "127.0.0.1",
  netmask: "255.0.0.0",
  scopeid: null,
  cidr: "127.0.0.1/8",
  mac: "00:00:00:00:00:00",
};

/**
 * Gives the global timers `ref()`, `unref()` and `refresh()`. Timers can still be converted to
 * numbers.
 */
function useTimersOfNode(): void {
  const { unrefTimer, refTimer } = Deno;
  const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate } =
    timers;
  Object.assign(globalThis, {
    setTimeout,
    setInterval,
    setImmediate,
    clearTimeout,
    clearInterval,
    clearImmediate,
  });
  Object.assign(Deno, {
    unrefTimer: (timer: unknown) => unrefTimer(Number(timer)),
    refTimer: (timer: unknown) => refTimer(Number(timer)),
  });
}

/** Adds members that a class lacks in Deno. */
function complete(prototype: object, members: object): void {
  for (const [name, member] of Object.entries(Object.getOwnPropertyDescriptors(members))) {
    if (!(name in prototype)) Object.defineProperty(prototype, name, member);
  }
}

/**
 * Adds the methods that requests and responses lack. The edge drops interim responses and trailers
 * anyway.
 */
function completeHttp(): void {
  complete(http.ServerResponse.prototype, {
    writeProcessing() {},
    addTrailers() {},
    setTimeout() {
      return this;
    },
  });
  complete(http.IncomingMessage.prototype, {
    get headersDistinct() {
      const { headers } = this as unknown as http.IncomingMessage;
      return Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, [value].flat()]),
      );
    },
    get trailers() {
      return {};
    },
    get trailersDistinct() {
      return {};
    },
  });
}

/** Provides the server's code with Node's globals. */
export function shapeLikeNode(home: string): void {
  useTimersOfNode();
  completeHttp();
  Object.assign(Deno, { networkInterfaces: () => [LOOPBACK] });
  const { uid, gid } = { uid: Deno.uid() ?? -1, gid: Deno.gid() ?? -1 };
  // The original function would read the list of users on the machine.
  os.userInfo = (() => ({
    uid,
    gid,
    username: "svc",
    homedir: home,
    shell: null,
  })) as typeof os.userInfo;
}
