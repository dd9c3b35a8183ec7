/**
 * @module Blocks a server's undocumented access to the internals of Node and Deno: bindings, native
 * code, and descriptors by number. The kernel's sandbox does not depend on this. In a worker that
 * the server starts, they are accessible again, but there is nothing to use them on.
 */
import process from "node:process";

/** The error that Node's permission model throws when it denies access. */
class AccessDeniedError extends Error {
  override readonly name = "Error";
  readonly code = "ERR_ACCESS_DENIED";
}

const CLOSED_METHODS = [
  "binding",
  "_linkedBinding",
  "dlopen",
  "_getActiveHandles",
  "_getActiveRequests",
] as const;

/** Classes of Node's bindings that turn a descriptor's number into a stream. */
const HANDLES = [["pipe_wrap", "Pipe"], ["tcp_wrap", "TCP"], ["udp_wrap", "UDP"]] as const;

/** The last descriptor of standard input, output and error, which servers may open as streams. */
const LAST_STANDARD = 2;

type Method = (this: unknown, ...args: unknown[]) => unknown;

const fix = (holder: object, name: PropertyKey, value: unknown): void => {
  Object.defineProperty(holder, name, { value, configurable: false, writable: false });
};

/** Allows handles for standard input, output and error only. */
function closeOpen(binding: Method): void {
  for (const [module, name] of HANDLES) {
    const parts = binding.call(process, module) as Readonly<Record<string, unknown>>;
    const { prototype } = parts[name] as { readonly prototype: Record<string, Method> };
    const open = prototype.open;
    if (open === undefined) continue;
    fix(
      prototype,
      "open",
      function (this: unknown, descriptor: unknown, ...rest: unknown[]): unknown {
        if (!Number.isInteger(descriptor) || (descriptor as number) > LAST_STANDARD) {
          throw new AccessDeniedError("A server cannot open a descriptor by its number");
        }
        return open.call(this, descriptor, ...rest);
      },
    );
  }
}

/** Closes the runtime's internals to the code that is loaded next. */
export function closeInternals(): void {
  closeOpen(Reflect.get(process, "binding") as Method);
  for (const name of CLOSED_METHODS) {
    fix(process, name, () => {
      throw new AccessDeniedError(`A server cannot use process.${name}`);
    });
  }
  const internals = Reflect.get(Deno, "internal") as symbol;
  Reflect.deleteProperty(Deno, internals);
  Reflect.deleteProperty(Deno, "internal");
}
