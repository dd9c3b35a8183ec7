/**
 * Streams of large blobs that never end well with the wrong content.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { BlobCorruptError, type BlobReader } from "./blob_reader.ts";

type Bytes = Uint8Array<ArrayBuffer>;

export interface BlobName {
  readonly sha256: string;
  readonly size: number;
}

/**
 * Passes a blob on, one chunk behind, and fails instead of sending the last
 * chunk where the content does not have the promised hash: the client sees a
 * broken transfer, not a wrong file.
 */
export function verifyingStream(
  blob: BlobName,
  onVerified: () => void,
): TransformStream<Bytes, Bytes> {
  const hash = createHash("sha256");
  let held: Bytes | undefined;
  return new TransformStream({
    transform(chunk, controller) {
      hash.update(chunk);
      if (held !== undefined) controller.enqueue(held);
      held = chunk;
    },
    flush(controller) {
      const found = hash.digest("hex");
      if (found !== blob.sha256) {
        throw new BlobCorruptError(blob.sha256, `its content has the hash ${found}`);
      }
      onVerified();
      if (held !== undefined) controller.enqueue(held);
    },
  });
}

/** Most blobs whose verification is remembered; then the memory starts afresh. */
const MAX_REMEMBERED = 65_536;

/**
 * Opens blobs as streams. The first full transfer of each blob is verified on
 * its way; later ones go straight through: HTTP's framing fails on a blob that
 * has become shorter.
 */
export class BlobStreams {
  readonly #verified = new Set<string>();

  /** All bytes of a blob. */
  async whole(blob: BlobName, reader: BlobReader): Promise<ReadableStream<Bytes>> {
    const stream = await reader.stream(blob.sha256);
    if (this.#verified.has(blob.sha256)) return stream;
    return stream.pipeThrough(verifyingStream(blob, () => this.#remember(blob.sha256)));
  }

  #remember(sha256: string): void {
    if (this.#verified.size >= MAX_REMEMBERED) this.#verified.clear();
    this.#verified.add(sha256);
  }
}
