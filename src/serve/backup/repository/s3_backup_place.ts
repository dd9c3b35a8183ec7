/**
 * Backups in object storage.
 *
 * @module
 */
import { sha256Hex } from "../../../lib/hash.ts";
import type { Environment } from "../../../lib/network_variables.ts";
import { openS3Bucket, S3CredentialsError, S3PlaceError } from "../../../platform/core/s3/mod.ts";
import { BackupError } from "../backup_layout.ts";
import type { Place } from "./place.ts";

/** Returns advice for a rejected request. */
function adviceFor(status: number, code: string): string {
  if (code === "NoSuchBucket") return "Create the bucket, or choose another one";
  if (status === 0 || status >= 500) {
    return "Check the endpoint and the network. Nothing is lost: the next backup continues " +
      "where this one stopped";
  }
  return "Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, their permissions on the bucket, and its space";
}

export async function openS3Place(place: string, env: Environment): Promise<Place> {
  const opened = await openS3Bucket(place, env).catch((cause) => {
    if (!(cause instanceof S3PlaceError || cause instanceof S3CredentialsError)) throw cause;
    throw new BackupError(cause.message, undefined, { cause });
  });
  const { bucket, name } = opened;
  const explained = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (cause) {
      const refusal = opened.refusalOf(cause);
      if (refusal === undefined) throw cause;
      const { status, code, message } = refusal;
      throw new BackupError(`Cannot use ${name} for backups: ${message}`, adviceFor(status, code), {
        cause,
      });
    }
  };
  return {
    name,
    put: (key, content) => explained(() => bucket.put(key, content, sha256Hex(content))),
    get: (key) => explained(() => bucket.get(key, (body) => new Response(body).bytes())),
    remove: (key) => explained(() => bucket.remove(key)),
    async *list(folder) {
      const objects = bucket.list(folder);
      for (;;) {
        const next = await explained(() => objects.next());
        if (next.done === true) return;
        yield next.value.key;
      }
    },
    close: () => opened.close(),
  };
}
