/** Direct access to a bucket, for objects other than blobs. @module */
import { systemClock } from "../../../lib/clock.ts";
import type { Environment } from "../../../lib/network_variables.ts";
import { S3Bucket } from "./s3_bucket.ts";
import { findS3Credentials } from "./s3_credentials.ts";
import { describeS3Place, parseS3Place } from "./s3_place.ts";
import { DEFAULT_PATIENCE, S3Error, S3Requests } from "./s3_requests.ts";

export interface OpenBucket {
  readonly bucket: S3Bucket;
  /** The bucket and its prefix, in readable form. */
  readonly name: string;
  /**
   * Returns the storage's refusal if it caused the error. Its status is 0 if the storage did not
   * respond.
   */
  refusalOf(error: unknown): S3Error | undefined;
  close(): void;
}

/** No visitor is waiting for these requests, so they are retried for longer. */
const PATIENCE = { ...DEFAULT_PATIENCE, answerMs: 60_000, retries: 6, longestMs: 60_000 };

/** @throws {S3PlaceError} @throws {S3CredentialsError} */
export async function openS3Bucket(text: string, env: Environment): Promise<OpenBucket> {
  const place = parseS3Place(text);
  const credentials = await findS3Credentials(env);
  const requests = new S3Requests({
    place,
    credentials,
    now: systemClock,
    patience: PATIENCE,
    onChange() {},
  });
  return {
    bucket: new S3Bucket(requests, place.prefix),
    name: describeS3Place(place),
    refusalOf(error) {
      const cause = error instanceof S3Error ? error : (error as { cause?: unknown } | null)?.cause;
      return cause instanceof S3Error ? cause : undefined;
    },
    close: () => requests.close(),
  };
}
