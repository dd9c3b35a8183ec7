/** An upload in parts (Amazon S3, "multipart upload"). @module */
import { sha256Hex } from "../../../lib/hash.ts";
import { S3Error, type S3Requests } from "./s3_requests.ts";
import { completionBody, parseError, parseUploadId } from "./s3_xml.ts";

export class MultipartUpload {
  readonly #etags: string[] = [];

  readonly #requests: S3Requests;
  readonly #key: string;
  readonly #id: string;

  private constructor(requests: S3Requests, key: string, id: string) {
    this.#requests = requests;
    this.#key = key;
    this.#id = id;
  }

  static async begin(requests: S3Requests, key: string): Promise<MultipartUpload> {
    const id = await requests.attempt(async () =>
      parseUploadId(await requests.text({ method: "POST", key, query: { uploads: "" } }))
    );
    return new MultipartUpload(requests, key, id);
  }

  /** Sends a part. Numbers start at 1, and parts can be sent in any order. */
  async send(number: number, content: Uint8Array<ArrayBuffer>): Promise<void> {
    const sha256 = sha256Hex(content);
    await this.#requests.attempt(async () => {
      this.#etags[number - 1] = await this.#requests.store({
        method: "PUT",
        key: this.#key,
        query: { partNumber: String(number), uploadId: this.#id },
        headers: { "x-amz-content-sha256": sha256 },
        body: content,
      });
    });
  }

  /** Creates the object from all parts. The storage may report a failure with status 200. */
  async complete(): Promise<void> {
    await this.#requests.attempt(async () => {
      const answer = await this.#requests.text({
        method: "POST",
        key: this.#key,
        query: { uploadId: this.#id },
        headers: { "content-type": "application/xml" },
        body: completionBody(this.#etags),
      });
      const { code, message } = parseError(answer);
      if (code !== "") throw new S3Error(500, code, message);
    });
  }

  /** Cancels the upload, so the storage does not keep its parts. */
  async abort(): Promise<void> {
    const query = { uploadId: this.#id };
    await this.#requests.attempt(() =>
      this.#requests.text({ method: "DELETE", key: this.#key, query })
    )
      .catch(() => {
        // The upload no longer exists, or the storage is gone. A bucket rule eventually removes the
        // upload.
      });
  }
}
