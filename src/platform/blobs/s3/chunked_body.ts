/**
 * Reads `aws-chunked` bodies, in which chunks can have signatures, and trailing fields can follow
 * the last chunk.
 *
 * @module
 */
import { createHash, type Hash } from "node:crypto";
import { BlobStoreError } from "../store_error.ts";
import { type ChunkSigner, hashHex } from "./signature.ts";

/** Maximum length of a line: a chunk header or a trailing field. */
const MAX_LINE = 1024;
/** Maximum number of trailing fields. */
const MAX_FIELDS = 16;

const damaged = () =>
  new BlobStoreError("IncompleteBody", "The body is not valid aws-chunked content");

const decoder = new TextDecoder();

type State = "head" | "data" | "data_end" | "trailer" | "done";

class ChunkReader {
  #state: State = "head";
  #line = "";
  #left = 0;
  #signature: string | undefined;
  #hash: Hash | undefined;
  #fields: string[] = [];

  readonly #signer: ChunkSigner | undefined;
  readonly #onField: (name: string, value: string) => void;

  constructor(
    signer: ChunkSigner | undefined,
    onField: (name: string, value: string) => void,
  ) {
    this.#signer = signer;
    this.#onField = onField;
  }

  *read(bytes: Uint8Array): Generator<Uint8Array> {
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === "done") throw damaged();
      if (this.#state === "data") {
        const piece = bytes.subarray(at, at + this.#left);
        at += piece.length;
        this.#left -= piece.length;
        this.#hash?.update(piece);
        if (this.#left === 0) this.#state = "data_end";
        yield piece;
        continue;
      }
      const end = bytes.indexOf(0x0a, at);
      this.#line += decoder.decode(bytes.subarray(at, end === -1 ? bytes.length : end));
      if (this.#line.length > MAX_LINE) throw damaged();
      if (end === -1) return;
      at = end + 1;
      this.#endLine();
    }
  }

  /** Checks that the body is complete. */
  end(): void {
    if (this.#state !== "done") throw damaged();
  }

  #endLine(): void {
    if (!this.#line.endsWith("\r")) throw damaged();
    const line = this.#line.slice(0, -1);
    this.#line = "";
    if (this.#state === "head") this.#startChunk(line);
    else if (this.#state === "data_end") this.#endChunk(line);
    else this.#addField(line);
  }

  #startChunk(line: string): void {
    const [, size, signature] = /^([0-9a-fA-F]{1,10})(?:;chunk-signature=([0-9a-f]{64}))?$/
      .exec(line) ?? [];
    if (size === undefined) throw damaged();
    this.#left = parseInt(size, 16);
    this.#signature = signature;
    this.#hash = this.#signer === undefined ? undefined : createHash("sha256");
    this.#state = "data";
    if (this.#left > 0) return;
    this.#verifyChunk();
    this.#state = "trailer";
  }

  #endChunk(line: string): void {
    if (line !== "") throw damaged();
    this.#verifyChunk();
    this.#state = "head";
  }

  #verifyChunk(): void {
    if (this.#hash === undefined) return;
    this.#signer!.require("PAYLOAD", this.#hash.digest("hex"), this.#signature);
  }

  #addField(line: string): void {
    const at = line.indexOf(":");
    const [name, value] = [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()];
    if (line === "") this.#endTrailer();
    else if (at === -1 || this.#fields.length === MAX_FIELDS) throw damaged();
    else if (name === "x-amz-trailer-signature") {
      const text = this.#fields.join("");
      this.#signer?.require("TRAILER", hashHex(text), value);
      this.#isTrailerSigned = true;
    } else {
      this.#fields.push(`${name}:${value}\n`);
      this.#onField(name, value);
    }
  }

  #isTrailerSigned = false;

  #endTrailer(): void {
    if (this.#signer !== undefined && this.#fields.length > 0 && !this.#isTrailerSigned) {
      throw damaged();
    }
    this.#state = "done";
  }
}

/** Returns the content of a chunked body. `onField` receives the trailing fields. */
export function readChunks(
  body: ReadableStream<Uint8Array>,
  { signer, onField }: {
    readonly signer: ChunkSigner | undefined;
    onField(name: string, value: string): void;
  },
): ReadableStream<Uint8Array> {
  const reader = new ChunkReader(signer, onField);
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        for (const piece of reader.read(bytes)) controller.enqueue(piece);
      },
      flush: () => reader.end(),
    }),
  );
}
