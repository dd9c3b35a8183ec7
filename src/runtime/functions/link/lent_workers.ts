/**
 * The workers that edge threads have in a process of functions, as the platform sees
 * them: it passes on what threads and process say of them, and ends those of a thread
 * that is gone.
 *
 * @module
 */
import { memberOf } from "../worker_numbers.ts";
import { FunctionFrame } from "../wire.ts";

export class LentWorkers {
  readonly #open = new Set<number>();
  /** Workers of threads that are gone: what the process says of them is for nobody. */
  readonly #left = new Set<number>();

  /** How many run. */
  get size(): number {
    return this.#open.size + this.#left.size;
  }

  /** Notes what a thread sends to the process. */
  sent({ type, worker }: { readonly type: number; readonly worker: number }): void {
    if (type === FunctionFrame.open) this.#open.add(worker);
  }

  /** The thread that the process speaks to; `undefined` where it is gone. */
  receiver(
    { type, worker }: { readonly type: number; readonly worker: number },
  ): number | undefined {
    const isLeft = this.#left.has(worker);
    // The next worker of that number is another thread's.
    if (type === FunctionFrame.exited) (isLeft ? this.#left : this.#open).delete(worker);
    return isLeft ? undefined : memberOf(worker);
  }

  /** Gives up the workers of a thread that is gone; returns their numbers, to be stopped. */
  memberEnded(member: number): number[] {
    const numbers = [...this.#open].filter((number) => memberOf(number) === member);
    for (const number of numbers) {
      this.#open.delete(number);
      this.#left.add(number);
    }
    return numbers;
  }
}
