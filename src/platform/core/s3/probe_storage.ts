/** Stores, reads and deletes one object, to test a new configuration of object storage. @module */
import { systemClock } from "../../../lib/clock.ts";
import { sha256Hex } from "../../../lib/hash.ts";
import type { Environment } from "../../../lib/network_variables.ts";
import { findS3Credentials } from "./s3_credentials.ts";
import { S3Bucket } from "./s3_bucket.ts";
import { parseS3Place } from "./s3_place.ts";
import { DEFAULT_PATIENCE, type S3Patience, S3Requests } from "./s3_requests.ts";

export class ProbeError extends Error {
  override readonly name = "ProbeError";
}

/**
 * Stores an object of a few bytes under `probe/`, reads it back, and deletes it.
 *
 * @param name the object's name, which must differ for each probe, so concurrent probes do not
 * collide.
 * @throws {S3PlaceError} @throws {S3CredentialsError}
 * @throws {ProbeError} naming the step that failed.
 */
export async function probeStorage(
  place: string,
  { env, name, patience = DEFAULT_PATIENCE }: {
    readonly env: Environment;
    readonly name: string;
    readonly patience?: S3Patience;
  },
): Promise<void> {
  const parsed = parseS3Place(place);
  const credentials = await findS3Credentials(env);
  const requests = new S3Requests({
    place: parsed,
    credentials,
    now: systemClock,
    patience,
    onChange() {},
  });
  const bucket = new S3Bucket(requests, parsed.prefix);
  const key = `probe/${name}`;
  const content = new TextEncoder().encode(`svc doctor ${name}`);
  try {
    await step("list", () => requests.look());
    await step("store", () => bucket.put(key, content, sha256Hex(content)));
    const read = await step("read", () => bucket.get(key, (body) => new Response(body).bytes()));
    if (sha256Hex(read ?? new Uint8Array()) !== sha256Hex(content)) {
      throw new ProbeError("Cannot read objects: the content differs from what was stored");
    }
    await step("delete", () => bucket.remove(key));
  } finally {
    requests.close();
  }
}

async function step<T>(verb: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
    const words = reason instanceof Error ? reason.message : String(reason);
    throw new ProbeError(`Cannot ${verb} objects: ${words}`, { cause });
  }
}
