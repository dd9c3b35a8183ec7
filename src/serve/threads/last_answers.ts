/**
 * Answers that are kept for times when the store does not answer: a site that one thread has
 * shown can be shown by the others, and by one that replaces it.
 *
 * @module
 */
import { UnavailableError } from "../../lib/unavailable_error.ts";

export class LastAnswers<Answer> {
  readonly #answers = new Map<string, Answer>();

  /** @param most Answers that are kept; those that were asked for longest ago make room. */
  constructor(private readonly most: number) {}

  /** Reads an answer; where it is unavailable, returns the last one. */
  async read(key: string, read: () => Promise<Answer>): Promise<Answer> {
    try {
      const answer = await read();
      this.#answers.delete(key);
      this.#answers.set(key, answer);
      if (this.#answers.size > this.most) this.#answers.delete(this.#answers.keys().next().value!);
      return answer;
    } catch (error) {
      if (!(error instanceof UnavailableError) || !this.#answers.has(key)) throw error;
      return this.#answers.get(key)!;
    }
  }

  /** Drops an answer that is not true any more. */
  forget(key: string): void {
    this.#answers.delete(key);
  }
}
