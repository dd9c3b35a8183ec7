/** The objects under a prefix in a bucket, each verified in transit. @module */
import { createHash } from "node:crypto";
import pLimit from "p-limit";
import { sha256Hex } from "../../../lib/hash.ts";
import { type ListedObject, type ListPage, parseList } from "./s3_xml.ts";
import { isMissing, type S3Requests } from "./s3_requests.ts";
import { MultipartUpload } from "./multipart_upload.ts";

/**
 * Maximum size of an object to send in one request, and minimum size of a larger object's parts, in
 * bytes.
 */
const PART_BYTES = 8 * 1024 * 1024;

/** Maximum number of parts in an upload (Amazon S3, "multipart upload limits"). */
const MAX_PARTS = 10_000;

const MAX_BODIES = 8;

/** A file that is being uploaded to the storage. */
interface FileUpload {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

/** Thrown if a file's content has changed since it was checked. */
export class FileChangedError extends Error {
  override readonly name = "FileChangedError";
}

const base64Of = (hex: string): string => Uint8Array.fromHex(hex).toBase64();

export class S3Bucket {
  readonly #bodies = pLimit(MAX_BODIES);

  readonly #prefix: string;
  readonly #partBytes;

  constructor(
    readonly requests: S3Requests,
    /** The prefix of all keys, with a trailing slash. The requests add it. */
    prefix: string,
    partBytes = PART_BYTES,
  ) {
    this.#prefix = prefix;
    this.#partBytes = partBytes;
  }

  /** Stores bytes. The storage rejects them if they were changed in transit. */
  async put(key: string, content: Uint8Array<ArrayBuffer>, sha256: string): Promise<void> {
    await this.#bodies(() =>
      this.requests.attempt(async () => {
        const headers = {
          "x-amz-content-sha256": sha256,
          "x-amz-checksum-sha256": base64Of(sha256),
        };
        await this.requests.store({ method: "PUT", key, headers, body: content });
      })
    );
  }

  /**
   * Stores a file. A large file is sent in parallel parts. The object appears only once it is
   * complete, and a failure leaves nothing behind.
   */
  async putFile(key: string, { path, size, sha256 }: FileUpload): Promise<void> {
    if (size <= this.#partBytes) {
      const content = await Deno.readFile(path);
      if (sha256Hex(content) !== sha256) throw new FileChangedError(`${path} has changed`);
      return await this.put(key, content, sha256);
    }
    const partBytes = Math.max(this.#partBytes, Math.ceil(size / MAX_PARTS));
    const upload = await MultipartUpload.begin(this.requests, key);
    try {
      await this.#sendParts(upload, { path, sha256 }, partBytes);
    } catch (error) {
      await upload.abort();
      throw error;
    }
    try {
      await upload.complete();
    } catch (error) {
      // An earlier attempt succeeded, but its response was lost.
      if (await this.size(key).catch(() => undefined) === size) return;
      await upload.abort();
      throw error;
    }
  }

  async #sendParts(
    upload: MultipartUpload,
    { path, sha256 }: Pick<FileUpload, "path" | "sha256">,
    partBytes: number,
  ): Promise<void> {
    const hash = createHash("sha256");
    const sending = new Set<Promise<void>>();
    let failure: { readonly error: unknown } | undefined;
    using file = await Deno.open(path);
    for (let number = 1; failure === undefined; number++) {
      // Waits for a slot before reading the part, so only a few parts are in memory at a time.
      const { promise: read, resolve: onRead, reject } = Promise.withResolvers<boolean>();
      const part: Promise<void> = this.#bodies(async () => {
        const content = await readPart(file, partBytes);
        if (content.byteLength > 0) hash.update(content);
        onRead(content.byteLength > 0);
        if (content.byteLength > 0) await upload.send(number, content);
      }).catch((error) => {
        failure ??= { error };
        reject(error);
      }).finally(() => sending.delete(part));
      sending.add(part);
      if (!await read.catch(() => false)) break;
    }
    await Promise.all(sending);
    if (failure !== undefined) throw failure.error;
    if (hash.digest("hex") !== sha256) throw new FileChangedError(`${path} has changed`);
  }

  /** Returns an object's size in bytes; `undefined` if the object is missing. */
  async size(key: string): Promise<number | undefined> {
    return await this.#ifThere(async () => {
      const response = await this.requests.send({ method: "HEAD", key });
      await response.body?.cancel();
      return Number(response.headers.get("content-length"));
    });
  }

  /**
   * Passes an object's content to `take`, which is called again after an interruption. Returns
   * `undefined` if the object is missing.
   */
  async get<T>(
    key: string,
    take: (content: ReadableStream<Uint8Array<ArrayBuffer>>) => Promise<T>,
  ): Promise<T | undefined> {
    return await this.#ifThere(async () => {
      const { body } = await this.requests.send({ method: "GET", key });
      return await take(body ?? new Blob([]).stream());
    });
  }

  async remove(key: string): Promise<void> {
    await this.#ifThere(() => this.requests.text({ method: "DELETE", key }));
  }

  /** Lists all objects, or those whose keys have a prefix, ordered by key. */
  async *list(begin = ""): AsyncGenerator<ListedObject> {
    const prefix = `${this.#prefix}${begin}`;
    for (let next: string | undefined = ""; next !== undefined;) {
      const more: Record<string, string> = next === "" ? {} : { "continuation-token": next };
      const page: ListPage = await this.#page({ prefix, ...more });
      for (const object of page.objects) {
        yield { ...object, key: object.key.slice(this.#prefix.length) };
      }
      next = page.next;
    }
  }

  /** Lists the distinct first parts of the keys, up to the slash, with one request per result. */
  async *folders(): AsyncGenerator<string> {
    for (let after = "";;) {
      const { objects: [first] } = await this.#page({ "start-after": `${this.#prefix}${after}` });
      if (first === undefined) return;
      const [folder = ""] = first.key.slice(this.#prefix.length).split("/");
      yield folder;
      // In ASCII, `0` follows the slash, so this comes after every key in the folder.
      after = `${folder}0`;
    }
  }

  async #page(query: Readonly<Record<string, string>>): Promise<ListPage> {
    const asked = { "list-type": "2", prefix: this.#prefix, ...query };
    return await this.requests.attempt(async () =>
      parseList(await this.requests.text({ method: "GET", query: asked }))
    );
  }

  async #ifThere<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await this.requests.attempt(work);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }
}

/** Reads up to `length` bytes from the file's current position. */
async function readPart(file: Deno.FsFile, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const content = new Uint8Array(length);
  let size = 0;
  while (size < length) {
    const count = await file.read(content.subarray(size));
    if (count === null) break;
    size += count;
  }
  return content.subarray(0, size);
}
