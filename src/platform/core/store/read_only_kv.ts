/**
 * A store that refuses writes, as they would be lost.
 *
 * @module
 */

/** A write was refused because the platform serves read-only. */
export class StoreReadOnlyError extends Error {
  override readonly name = "StoreReadOnlyError";
  constructor() {
    super("Cannot store: the platform's disk was full when it started, so it only serves");
  }
}

const refuse = () => Promise.reject(new StoreReadOnlyError());

/** An operation that accepts every step and refuses to commit. */
function refusingOperation(): Deno.AtomicOperation {
  const operation: Deno.AtomicOperation = new Proxy({} as Deno.AtomicOperation, {
    get: (_, name) => name === "commit" ? refuse : () => operation,
  });
  return operation;
}

/** The same store, with every way to change it refused by a `StoreReadOnlyError`. */
export function readOnlyKv(kv: Deno.Kv): Deno.Kv {
  const refused: Readonly<Record<string, unknown>> = {
    set: refuse,
    delete: refuse,
    enqueue: refuse,
    atomic: refusingOperation,
  };
  return new Proxy(kv, {
    get(target, name) {
      if (typeof name === "string" && Object.hasOwn(refused, name)) return refused[name];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
