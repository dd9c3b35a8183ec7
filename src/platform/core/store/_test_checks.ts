/**
 * What tests of stores share.
 *
 * @module
 */

/** The same store, and the most checks that one commit had so far. */
export function countingChecks(kv: Deno.Kv): { readonly kv: Deno.Kv; readonly most: () => number } {
  let most = 0;
  const counted = (operation: Deno.AtomicOperation): Deno.AtomicOperation => {
    let checks = 0;
    const proxy: Deno.AtomicOperation = new Proxy(operation, {
      get(target, name) {
        const own: unknown = Reflect.get(target, name, target);
        if (typeof own !== "function") return own;
        return (...given: readonly unknown[]) => {
          if (name === "check") most = Math.max(most, checks += given.length);
          const answer: unknown = own.apply(target, given);
          return answer === target ? proxy : answer;
        };
      },
    });
    return proxy;
  };
  const counting = new Proxy(kv, {
    get(target, name) {
      if (name === "atomic") return () => counted(target.atomic());
      const own: unknown = Reflect.get(target, name, target);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
  return { kv: counting, most: () => most };
}

/** Two connections to one store, as two processes have them. */
export async function withTwoProcesses(
  test: (one: Deno.Kv, other: Deno.Kv) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-two-" });
  const [one, other] = [await Deno.openKv(`${folder}/kv`), await Deno.openKv(`${folder}/kv`)];
  try {
    await test(one, other);
  } finally {
    one.close();
    other.close();
    await Deno.remove(folder, { recursive: true });
  }
}
