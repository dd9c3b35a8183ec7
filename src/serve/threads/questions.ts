/**
 * Questions to another thread, each with its answer.
 *
 * @module
 */
export class Questions<Question> {
  readonly #open = new Map<number, PromiseWithResolvers<unknown>>();
  #last = 0;

  constructor(private readonly send: (id: number, question: Question) => void) {}

  /** Asks; rejects where the other side refuses, or has ended. */
  ask(question: Question): Promise<unknown> {
    const id = ++this.#last;
    const answered = Promise.withResolvers<unknown>();
    this.#open.set(id, answered);
    this.send(id, question);
    return answered.promise;
  }

  answer(id: number, value: unknown): void {
    this.#open.get(id)?.resolve(value);
    this.#open.delete(id);
  }

  refuse(id: number, error: Error): void {
    this.#open.get(id)?.reject(error);
    this.#open.delete(id);
  }

  /** Ends all questions: nobody will answer them. */
  end(message: string): void {
    for (const id of [...this.#open.keys()]) this.refuse(id, new Error(message));
  }
}
