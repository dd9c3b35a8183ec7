/**
 * Converts images for the edge, stores the results, and records failures, so the same image does
 * not crash one process after another.
 *
 * @module
 */
import type { Clock } from "../../lib/clock.ts";
import { RecentMap } from "../../lib/memo.ts";
import type { ConvertedImage, ImageOrder, ImageOutcome, ImageService } from "../../edge/mod.ts";
import type { ConvertFailure, ConvertResult, ImageEngine } from "../../runtime/mod.ts";
import type { ImageFiles } from "./image_files.ts";

const MAX_FAILURES = 2048;

/**
 * How long to remember a failure that might not occur when the machine is less busy, in
 * milliseconds.
 */
const RETRY_MS = 5 * 60 * 1000;

interface Failure {
  readonly outcome: ImageOutcome;
  readonly until: number;
}

interface ImageServiceParts {
  readonly engine: Pick<ImageEngine, "convert" | "close">;
  readonly files: ImageFiles;
  readonly now: Clock;
  onTrouble(message: string): void;
}

function outcomeOf(reason: ConvertFailure, message: string): ImageOutcome {
  if (reason === "busy") return { type: "busy" };
  if (reason === "too_large") return { type: "refused", status: 422, reason: `${message}.` };
  return { type: "original", reason: message };
}

export class PlatformImages implements ImageService {
  readonly #failures = new RecentMap<Failure>(MAX_FAILURES);
  #cannotKeep = false;

  readonly #parts: ImageServiceParts;

  constructor(parts: ImageServiceParts) {
    this.#parts = parts;
  }

  find(projectId: string, key: string): Promise<ConvertedImage | undefined> {
    return this.#parts.files.find(projectId, key);
  }

  knownFailure(key: string): ImageOutcome | undefined {
    const failure = this.#failures.get(key);
    return failure === undefined || failure.until <= this.#parts.now()
      ? undefined
      : failure.outcome;
  }

  async convert(order: ImageOrder): Promise<ImageOutcome> {
    const { projectId, key, conversion, format, source, isShared } = order;
    const result = await this.#parts.engine.convert({
      ...conversion,
      format,
      source,
      owner: projectId,
    });
    if (!result.ok) return this.#failed(key, result);
    const image = { format, bytes: result.bytes };
    if (isShared) await this.#keep(order, image);
    return { type: "converted", image, isNew: true };
  }

  #failed(key: string, { reason, message }: Extract<ConvertResult, { ok: false }>): ImageOutcome {
    const outcome = outcomeOf(reason, message);
    const isLasting = reason === "broken" || reason === "too_large";
    if (isLasting || reason === "timeout" || reason === "memory") {
      this.#failures.set(key, {
        outcome,
        until: isLasting ? Infinity : this.#parts.now() + RETRY_MS,
      });
    }
    return outcome;
  }

  /**
   * Stores an image. If the disk is full, the image is not stored, and must be converted again next
   * time.
   */
  async #keep({ projectId, key }: ImageOrder, image: ConvertedImage): Promise<void> {
    try {
      await this.#parts.files.put(projectId, key, image);
      this.#cannotKeep = false;
    } catch (error) {
      if (!this.#cannotKeep) this.#parts.onTrouble(`Cannot store converted images: ${error}`);
      this.#cannotKeep = true;
    }
  }
}
