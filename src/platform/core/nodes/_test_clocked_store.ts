/** An in-memory store whose records expire according to a clock that the test sets. @module */
import {
  type Changes,
  DenoStore,
  type Mutation,
  type Outcome,
  type RecordKey,
  StoreLayer,
} from "../../../store/mod.ts";

export class ClockedStore extends StoreLayer {
  /** Milliseconds. */
  time = 0;
  readonly #ends = new Map<string, { readonly key: RecordKey; readonly at: number }>();

  static async open(): Promise<ClockedStore> {
    return new ClockedStore(await DenoStore.open(":memory:"));
  }

  async advance(ms: number): Promise<void> {
    this.time += ms;
    for (const [name, { key, at }] of this.#ends) {
      if (at > this.time) continue;
      this.#ends.delete(name);
      await this.under.delete(key);
    }
  }

  override write({ checks, mutations }: Changes): Promise<Outcome> {
    return super.write({ checks, mutations: mutations.map((each) => this.#note(each)) });
  }

  #note(mutation: Mutation): Mutation {
    if (mutation.type !== "set") return mutation;
    const { key, expireIn } = mutation;
    const name = JSON.stringify(key);
    if (expireIn === undefined) this.#ends.delete(name);
    else this.#ends.set(name, { key, at: this.time + expireIn });
    return { ...mutation, expireIn: undefined };
  }
}
