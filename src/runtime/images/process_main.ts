/**
 * @module The process that decodes untrusted images. The main thread decodes nothing. It passes
 * jobs to a worker without permissions, and the kernel denies the process access to files and the
 * network. The process exits when the platform closes the connection.
 */
import { dirname } from "node:path";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { workerUrl } from "../../lib/worker_url.ts";
import { sealProcess, type SealState } from "../compute/sandbox/seal_process.ts";
import { type Frame, ProtocolError } from "../process/frames/frame.ts";
import { FrameConnection } from "../process/frames/frame_connection.ts";
import { fromPayload, toPayload } from "../process/frames/payload.ts";
import { denoCache } from "../process/source_cache.ts";
import { endWith, servePlatform } from "../process/serve_platform.ts";
import { refuseForeignDescriptors } from "../process/own_descriptors.ts";
import { readEngineFiles } from "./engine_files.ts";
import { MAX_SOURCE_BYTES, MAX_SOURCE_PIXELS } from "./limits.ts";
import { ImageFrame, type JobHead } from "./wire.ts";
import type { FromImageWorker, ToImageWorker } from "./worker/messages.ts";

const WORKER = workerUrl("image_worker.js", new URL("./worker/worker_main.ts", import.meta.url));

/**
 * Paths that the worker's thread must be able to read: the executable, or the source and Deno's
 * cache.
 */
function runtimePaths(): string[] {
  if (Deno.build.standalone) return [Deno.execPath()];
  const source = fileURLToPath(new URL("../", import.meta.url));
  return [Deno.execPath(), source, denoCache(Deno.env.toObject())];
}

class ImageProcess {
  readonly #worker: Worker;
  #head: JobHead | undefined;

  readonly #connection: FrameConnection;
  readonly #sealed: SealState;

  constructor(connection: FrameConnection, sealed: SealState) {
    this.#connection = connection;
    this.#sealed = sealed;
    this.#worker = new Worker(WORKER, {
      type: "module",
      name: "image",
      deno: { permissions: "none" },
    });
    this.#worker.onerror = (event) => {
      event.preventDefault();
      endWith(event.message);
    };
    this.#worker.onmessage = ({ data }: MessageEvent<FromImageWorker>) => this.#hear(data);
  }

  load(message: Extract<ToImageWorker, { type: "load" }>): void {
    const { files } = message;
    this.#worker.postMessage(message, [files.core.buffer, files.heif.buffer]);
  }

  take({ type, payload }: Frame): void {
    if (type === ImageFrame.job) {
      this.#head = fromPayload<JobHead>(payload);
    } else if (type === ImageFrame.source && this.#head !== undefined) {
      const message: ToImageWorker = {
        type: "convert",
        conversion: this.#head,
        source: payload,
      };
      this.#head = undefined;
      this.#worker.postMessage(message, [payload.buffer]);
    } else throw new ProtocolError(`The process received an unexpected frame of type ${type}`);
  }

  #hear(message: FromImageWorker): void {
    switch (message.type) {
      case "ready":
        return this.#send(ImageFrame.ready, { version: message.version, ...this.#sealed });
      case "done": {
        const { bytes: payload, width, height } = message;
        this.#send(ImageFrame.done, { width, height });
        return this.#connection.send({ type: ImageFrame.bytes, worker: 0, id: 0, payload });
      }
      case "failed":
        return this.#send(ImageFrame.failed, message.failed);
      case "fatal":
        return endWith(message.message);
    }
  }

  #send(type: number, head: object): void {
    this.#connection.send({ type, worker: 0, id: 0, payload: toPayload(head) });
  }
}

/** Gives the platform priority on a busy machine. */
function yieldToPlatform(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch { /* not allowed here, so conversions compete with the platform */ }
}

/**
 * Removes the socket and its folder, which are not needed once the process has connected, so
 * nothing is left behind if the platform is killed.
 */
function removeFolder(socketPath: string): void {
  try {
    Deno.removeSync(dirname(socketPath), { recursive: true });
  } catch { /* the platform removes it when the process has exited */ }
}

/**
 * Converts images for the platform that listens on the Unix socket `socketPath`. Exits when
 * the platform disconnects.
 */
export async function runImageProcess(socketPath: string): Promise<never> {
  yieldToPlatform();
  const files = readEngineFiles();
  return await servePlatform({
    socketPath,
    maxPayload: MAX_SOURCE_BYTES,
    begin: (connection) => {
      removeFolder(socketPath);
      const process = refuseForeignDescriptors().then((refused) => {
        if (refused !== undefined) return endWith(refused);
        // From here on, neither this thread nor the worker and its threads can open anything.
        const process = new ImageProcess(connection, sealProcess(runtimePaths()));
        process.load({ type: "load", files, maxPixels: MAX_SOURCE_PIXELS });
        return process;
      });
      return (frame) => {
        process.then((ready) => ready.take(frame)).catch((error) => endWith(`${error}`));
      };
    },
  });
}

if (import.meta.main && !Deno.build.standalone) await runImageProcess(Deno.args[0] ?? "");
