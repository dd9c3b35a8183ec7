/**
 * @module Node's datagrams (`node:dgram`): permission errors of the runtime become socket errors,
 * like those of the kernel. Deno itself throws its errors where the server's code cannot catch
 * them.
 */
import process from "node:process";

/** Node's code for EACCES from a handle. */
const EACCES = -13;

type Method = (this: unknown, ...args: unknown[]) => unknown;

const METHODS = ["bind", "bind6", "connect", "connect6", "send", "send6"] as const;

/** Turns the runtime's permission errors into errors that `node:dgram` sockets emit. */
export function catchDatagramErrors(): void {
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
