/**
 * A client for a project's blob store. The client signs requests like an S3 client.
 *
 * @module
 */
import assert from "node:assert/strict";
import { AwsClient } from "aws4fetch";
import type { TestPlatform } from "./platform.ts";

export interface BlobKey {
  readonly id: string;
  readonly secret: string;
  readonly region: string;
  readonly bucket: string;
}

/** Sends a request. The path is relative to the bucket. */
export type SendToBucket = (path: string, init?: RequestInit) => Promise<Response>;

/** Deno and the package have different types for bodies. */
type AwsRequestInit = Parameters<AwsClient["sign"]>[1];

export async function createBlobKey(platform: TestPlatform, project: string): Promise<BlobKey> {
  const path = `/v1/projects/${project}/blobs/credentials`;
  const { status, json } = await platform.api("POST", path, { json: { name: "test" } });
  assert.equal(status, 201, JSON.stringify(json));
  return json;
}

export function bucketOf(
  { port }: Pick<TestPlatform, "port">,
  { id, secret, region, bucket }: BlobKey,
): SendToBucket {
  const client = new AwsClient({
    ...{ accessKeyId: id, secretAccessKey: secret, region },
    service: "s3",
    retries: 0,
  });
  return (path, init = {}) =>
    client.fetch(`http://localhost:${port}/s3/${bucket}/${path}`, init as AwsRequestInit);
}

/** Returns the status and text of a response. */
export async function answerOf(response: Promise<Response>): Promise<string> {
  const { status } = await response;
  return `${status} ${await (await response).text()}`;
}

/** Uploads an object in parts. */
export async function uploadInParts(
  send: SendToBucket,
  key: string,
  pieces: readonly string[],
): Promise<Response> {
  const begun = await (await send(`${key}?uploads`, { method: "POST" })).text();
  const [, id] = /<UploadId>([^<]+)</.exec(begun)!;
  const parts: string[] = [];
  for (const [index, body] of pieces.entries()) {
    const path = `${key}?partNumber=${index + 1}&uploadId=${id}`;
    const { headers } = await send(path, { method: "PUT", body });
    const tag = headers.get("etag");
    parts.push(`<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
  }
  const body = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
  return await send(`${key}?uploadId=${id}`, { method: "POST", body });
}
