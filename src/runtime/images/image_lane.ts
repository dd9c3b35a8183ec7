/** @module A slot for an image process: starts, stops and replaces it. */
import { attendProcess } from "../process/attend_process.ts";
import type { ProcessCommand } from "../process/self_command.ts";
import { type ProcessDriver, ProcessSupervisor } from "../process/process_supervisor.ts";
import { processorMs } from "../process/processor_time.ts";
import { residentBytes } from "../process/resident_memory.ts";
import { SYSTEM_TIMERS, type Timers } from "../process/timers.ts";
import { ImageProcess, type ImageProcessEnd } from "./image_process.ts";
import type { ImageEngineLimits } from "./limits.ts";
import { startImageProcess } from "./start_image_process.ts";
import type { ConvertJob, ConvertResult } from "./types.ts";

export interface ImageLaneOptions {
  readonly spawn: (socketPath: string) => ProcessCommand;
  /** Prefix of the process folders in the system's temporary folder. */
  readonly folderPrefix?: (() => Promise<string>) | undefined;
  readonly limits: ImageEngineLimits;
  /** Called with each message for the operator. */
  readonly onTrouble: (message: string) => void;
  readonly timers?: Timers;
}

/** Minimum time between two readings of CPU time, in milliseconds. */
const MIN_CHECK_MS = 20;

const ENDS = {
  idle: "The process was idle",
  place: "The process made room for another",
  late: "The process was not ready in time",
  closed: "The platform is stopping",
} as const;

export class ImageLane {
  readonly #supervisor: ProcessSupervisor<ImageProcess>;
  readonly #timers: Timers;
  #isBusy = false;

  readonly #options: ImageLaneOptions;

  constructor(options: ImageLaneOptions) {
    this.#options = options;
    const { idleMs, memoryPollMs, startMs } = options.limits;
    this.#timers = options.timers ?? SYSTEM_TIMERS;
    this.#supervisor = new ProcessSupervisor({
      driver: this.#driver(),
      noPlace: () => "",
      closed: ENDS.closed,
      startMs,
      idleMs,
      pollMs: memoryPollMs,
      timers: this.#timers,
    });
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Process ID, while there is a process. */
  get pid(): number | undefined {
    return this.#supervisor.current?.running.pid;
  }

  /** Converts an image. The lane must not be busy. Never rejects. */
  async convert(job: ConvertJob): Promise<ConvertResult> {
    this.#isBusy = true;
    try {
      return await this.#convert(job);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#options.onTrouble(`Cannot convert images: ${message}`);
      return { ok: false, reason: "unavailable", message };
    } finally {
      this.#isBusy = false;
      this.#supervisor.touch();
    }
  }

  async #convert(job: ConvertJob): Promise<ConvertResult> {
    const wait = this.#supervisor.backoff.waitMs;
    if (this.#supervisor.current === undefined && wait > 0) {
      const message = `The process failed. It will restart in ${wait} ms`;
      return { ok: false, reason: "unavailable", message };
    }
    const process = this.#supervisor.current ?? await this.#supervisor.start();
    const stop = this.#limitTime(process);
    try {
      return await process.convert(job);
    } finally {
      stop();
    }
  }

  /** Stops a process that uses too much CPU time or, on a busy machine, takes far too long. */
  #limitTime(process: ImageProcess): () => void {
    const { timeoutMs, waitMs } = this.#options.limits;
    const { pid } = process.running;
    const before = processorMs(pid) ?? 0;
    const latest = this.#timers.now() + waitMs;
    const check = () => {
      const left = timeoutMs - ((processorMs(pid) ?? Infinity) - before);
      if (left > 0 && this.#timers.now() < latest) {
        stop = this.#timers.after(Math.max(left, MIN_CHECK_MS), check);
      } else {
        this.#end(process, { reason: "timeout", message: `It took longer than ${timeoutMs} ms` });
      }
    };
    let stop = this.#timers.after(timeoutMs, check);
    return () => stop();
  }

  #driver(): ProcessDriver<ImageProcess> {
    return {
      spawn: async () => {
        try {
          const { spawn, folderPrefix } = this.#options;
          return new ImageProcess(await startImageProcess(spawn, await folderPrefix?.()));
        } catch (error) {
          this.#supervisor.backoff.failed();
          throw error;
        }
      },
      begin: (process) => {
        this.#attend(process).catch((error) =>
          this.#options.onTrouble(`Cannot supervise an image process: ${error}`)
        );
      },
      ready: async (process) => void await process.ready,
      isBusy: (process) => process.isBusy,
      inspect: (process) => this.#inspect(process),
      end: (process, cause) => {
        this.#end(process, { reason: "unavailable", message: ENDS[cause] });
        // If the process is closed while it starts, nothing else closes its connection.
        if (cause === "closed") process.running.close();
      },
    };
  }

  async #attend(process: ImageProcess): Promise<void> {
    const { running } = process;
    let wasReady = false;
    void process.ready.then(() => wasReady = true, () => {});
    const words = await attendProcess(running, {
      take: (frame) => process.take(frame),
      failed: (error) => process.end ??= { reason: "broken", message: `${error}` },
    });
    this.#supervisor.release(process);
    const end = process.end ??= { reason: "broken", message: `The process exited: ${words}` };
    // Only a process that was never ready counts as a failed start. A process that was ready may
    // have been broken by an image.
    if (!wasReady) this.#supervisor.backoff.failed(process.startedAt);
    process.lost(end);
  }

  #inspect(process: ImageProcess): void {
    const { memoryMb } = this.#options.limits;
    const bytes = residentBytes(process.running.pid) ?? 0;
    if (bytes > memoryMb * 1024 * 1024) {
      this.#end(process, { reason: "memory", message: `It used more than ${memoryMb} MiB` });
    }
  }

  #end(process: ImageProcess, end: ImageProcessEnd): void {
    process.end ??= end;
    this.#supervisor.release(process);
    process.running.kill();
  }

  /** Stops the process. Its current job fails. */
  async close(): Promise<void> {
    const process = await this.#supervisor.close();
    if (process === undefined) return;
    this.#end(process, { reason: "unavailable", message: ENDS.closed });
    await process.gone;
  }
}
