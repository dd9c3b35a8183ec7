/** @module Converts images in separate processes, a limited number at a time. */
import { ImageLane, type ImageLaneOptions } from "./image_lane.ts";
import { JobQueue } from "./job_queue.ts";
import { DEFAULT_ENGINE_LIMITS, type ImageEngineLimits, MAX_SOURCE_BYTES } from "./limits.ts";
import type { ConvertJob, ConvertResult } from "./types.ts";

interface ImageEngineOptions extends Omit<ImageLaneOptions, "limits"> {
  readonly limits?: Partial<ImageEngineLimits>;
}

interface Waiting {
  readonly job: ConvertJob;
  readonly settle: (result: ConvertResult) => void;
}

const BUSY: ConvertResult = {
  ok: false,
  reason: "busy",
  message: "Too many images are waiting for conversion",
};

export class ImageEngine {
  readonly #lanes: readonly ImageLane[];
  readonly #queue: JobQueue<Waiting>;

  constructor({ limits: given, ...options }: ImageEngineOptions) {
    const limits = { ...DEFAULT_ENGINE_LIMITS, ...given };
    this.#lanes = Array.from(
      { length: limits.maxProcesses },
      () => new ImageLane({ ...options, limits }),
    );
    this.#queue = new JobQueue({ max: limits.maxQueued, maxOfOwner: limits.maxQueuedOfOwner });
  }

  /** IDs of the running processes. */
  get pids(): readonly number[] {
    return this.#lanes.flatMap(({ pid }) => pid === undefined ? [] : [pid]);
  }

  /** Converts an image as soon as a process is free. Never rejects. */
  convert(job: ConvertJob): Promise<ConvertResult> {
    if (job.source.byteLength > MAX_SOURCE_BYTES) {
      const message = `It has ${job.source.byteLength} bytes; the limit is ${MAX_SOURCE_BYTES}`;
      return Promise.resolve({ ok: false, reason: "too_large", message });
    }
    const { promise, resolve: settle } = Promise.withResolvers<ConvertResult>();
    if (!this.#queue.add(job.owner, { job, settle })) return Promise.resolve(BUSY);
    this.#assign();
    return promise;
  }

  /** Assigns waiting jobs to free lanes, preferring those with a process. */
  #assign(): void {
    for (;;) {
      const free = this.#lanes.filter(({ isBusy }) => !isBusy);
      const lane = free.find(({ pid }) => pid !== undefined) ?? free[0];
      const next = lane === undefined ? undefined : this.#queue.take();
      if (lane === undefined || next === undefined) return;
      lane.convert(next.job).then(next.settle).then(
        () => this.#assign(),
        () => this.#assign(),
      );
    }
  }

  /** Stops all processes. Running and waiting jobs fail. */
  async close(): Promise<void> {
    for (let next = this.#queue.take(); next !== undefined; next = this.#queue.take()) {
      next.settle({ ok: false, reason: "unavailable", message: "The platform is stopping" });
    }
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }
}
