/**
 * @module Finds the worker threads of a function process. The runtime names them in the order in
 * which they were started, and Linux shows their names and CPU times.
 */

const MS = 1e6;

/** Reads files in `/proc`; tests pass their own implementation. */
export interface ThreadFiles {
  ids(pid: number): readonly number[];
  read(pid: number, thread: number, file: "comm" | "schedstat"): string;
}

const procFiles: ThreadFiles = {
  ids: (pid) => [...Deno.readDirSync(`/proc/${pid}/task`)].map(({ name }) => Number(name)),
  read: (pid, thread, file) => Deno.readTextFileSync(`/proc/${pid}/task/${thread}/${file}`),
};

export class WorkerThreads {
  readonly #ids = new Map<string, number>();

  readonly #pid: number;
  readonly #files: ThreadFiles;

  constructor(pid: number, files: ThreadFiles = procFiles) {
    this.#pid = pid;
    this.#files = files;
  }

  /**
   * Returns the CPU time of the worker that was the `ordinal`-th to start, in milliseconds, or
   * `undefined` if the system does not report it.
   */
  spentMs(ordinal: number): number | undefined {
    const name = `worker-${ordinal}`;
    try {
      const id = this.#ids.get(name) ?? this.#find(name);
      if (id === undefined) return undefined;
      return Number(this.#files.read(this.#pid, id, "schedstat").split(" ", 1)[0]) / MS;
    } catch {
      // Either the thread or the process has exited, or this is not Linux.
      this.#ids.delete(name);
      return undefined;
    }
  }

  #find(wanted: string): number | undefined {
    for (const id of this.#files.ids(this.#pid)) {
      const name = this.#files.read(this.#pid, id, "comm").trim();
      if (name.startsWith("worker-")) this.#ids.set(name, id);
    }
    return this.#ids.get(wanted);
  }
}
