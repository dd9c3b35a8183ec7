/**
 * Datagrams of Node (`node:dgram`): what the runtime refuses is an error of the
 * socket, as the kernel's own refusals are. Deno throws it past the socket,
 * where nothing of the server could catch it.
 *
 * @module
 */
import process from "node:process";

/** What Node reads as EACCES from a handle. */
const EACCES = -13;

type Method = (this: unknown, ...args: unknown[]) => unknown;

const METHODS = ["bind", "bind6", "connect", "connect6", "send", "send6"] as const;

/** Gives sockets of `node:dgram` the runtime's refusals as errors that they can emit. */
export function takeDatagrams(): void {
  const binding = Reflect.get(process, "binding") as Method;
  const { UDP } = binding.call(process, "udp_wrap") as {
    readonly UDP: { readonly prototype: Record<string, Method> };
  };
  for (const name of METHODS) {
    const method = UDP.prototype[name];
    if (method === undefined) continue;
    const replaced: Method = function (...args) {
      try {
        return method.apply(this, args);
      } catch (error) {
        if (error instanceof Deno.errors.NotCapable) return EACCES;
        throw error;
      }
    };
    Object.defineProperty(UDP.prototype, name, {
      value: replaced,
      configurable: true,
      writable: true,
    });
  }
}
