/**
 * A store in memory whose records expire by a clock of the test.
 *
 * @module
 */

export class ClockedKv implements Disposable {
  /** Milliseconds. */
  time = 0;
  readonly kv: Deno.Kv;
  readonly #ends = new Map<string, { readonly key: Deno.KvKey; readonly at: number }>();

  private constructor(private readonly inner: Deno.Kv) {
    const changed: Partial<Deno.Kv> = {
      set: (key, value, options) => inner.set(key, value, this.#note(key, options)),
      atomic: () => {
        const operation = inner.atomic();
        const set = operation.set.bind(operation);
        operation.set = (key, value, options) => set(key, value, this.#note(key, options));
        return operation;
      },
    };
    this.kv = new Proxy(inner, {
      get(target, name) {
        const own = Reflect.get(changed, name) ?? Reflect.get(target, name, target);
        return typeof own === "function" ? own.bind(target) : own;
      },
    });
  }

  static async open(): Promise<ClockedKv> {
    return new ClockedKv(await Deno.openKv(":memory:"));
  }

  async advance(ms: number): Promise<void> {
    this.time += ms;
    for (const [name, { key, at }] of this.#ends) {
      if (at > this.time) continue;
      this.#ends.delete(name);
      await this.inner.delete(key);
    }
  }

  #note(key: Deno.KvKey, { expireIn }: { readonly expireIn?: number } = {}): undefined {
    const name = JSON.stringify(key);
    if (expireIn === undefined) this.#ends.delete(name);
    else this.#ends.set(name, { key, at: this.time + expireIn });
  }

  [Symbol.dispose](): void {
    this.inner.close();
  }
}
