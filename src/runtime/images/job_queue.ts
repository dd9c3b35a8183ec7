/** @module A queue of jobs that wait for a process. The owners of the jobs take turns. */

interface JobQueueOptions {
  /** Maximum total number of waiting jobs. */
  readonly max: number;
  /** Maximum number of waiting jobs per owner. */
  readonly maxOfOwner: number;
}

export class JobQueue<Job> {
  /** Waiting jobs by owner. The owner whose turn is next comes first. */
  readonly #waiting = new Map<string, Job[]>();
  #size = 0;

  readonly #options: JobQueueOptions;

  constructor(options: JobQueueOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a job after the same owner's other jobs. Returns false if too many jobs are waiting. */
  add(owner: string, job: Job): boolean {
    const jobs = this.#waiting.get(owner);
    const { max, maxOfOwner } = this.#options;
    if (this.#size >= max || (jobs?.length ?? 0) >= maxOfOwner) return false;
    if (jobs === undefined) this.#waiting.set(owner, [job]);
    else jobs.push(job);
    this.#size++;
    return true;
  }

  /** Removes and returns the next job. Its owner moves to the end of the queue. */
  take(): Job | undefined {
    for (const [owner, jobs] of this.#waiting) {
      const job = jobs.shift()!;
      this.#waiting.delete(owner);
      if (jobs.length > 0) this.#waiting.set(owner, jobs);
      this.#size--;
      return job;
    }
    return undefined;
  }
}
