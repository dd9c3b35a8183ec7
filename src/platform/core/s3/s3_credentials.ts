/** Access keys for object storage, from the environment or from Amazon's file. @module */
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../../lib/network_variables.ts";
import { readTextFile } from "../../../lib/utf8.ts";
import { StoreUnusableError } from "../store/mod.ts";

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export class S3CredentialsError extends StoreUnusableError {}

/** Maximum size of a key file, in bytes. */
const MAX_FILE_BYTES = 64 * 1024;

const ADVICE = "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SHARED_CREDENTIALS_FILE";

function complete(
  found: Readonly<Record<string, string | undefined>>,
  source: string,
): S3Credentials | undefined {
  const { id, secret, token } = found;
  if (!id && !secret) return undefined;
  if (!id || !secret) {
    throw new S3CredentialsError(
      `The access key in ${source} is incomplete. ${ADVICE}`,
    );
  }
  return {
    accessKeyId: id,
    secretAccessKey: secret,
    ...(token ? { sessionToken: token } : {}),
  };
}

function readProfile(text: string, profile: string): Map<string, string> {
  const settings = new Map<string, string>();
  let section = "";
  for (const line of text.split(/\r?\n/)) {
    const heading = /^\s*\[\s*([^\]]+?)\s*\]\s*(?:[#;].*)?$/.exec(line);
    if (heading !== null) section = heading[1]!;
    const setting = /^\s*([A-Za-z0-9_]+)\s*=\s*(\S+)\s*$/.exec(line);
    if (setting !== null && section === profile) settings.set(setting[1]!, setting[2]!);
  }
  return settings;
}

async function readFile(path: string, isNamed: boolean): Promise<string | undefined> {
  try {
    const { size } = await Deno.stat(path);
    if (size > MAX_FILE_BYTES) {
      throw new S3CredentialsError(
        `Cannot read ${path}: it is too large for an access key file`,
      );
    }
    return await readTextFile(path);
  } catch (cause) {
    if (cause instanceof S3CredentialsError) throw cause;
    if (!isNamed && cause instanceof Deno.errors.NotFound) return undefined;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new S3CredentialsError(`Cannot read the access keys: ${reason}. ${ADVICE}`, { cause });
  }
}

/**
 * Finds the access keys in the variables `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and
 * `AWS_SESSION_TOKEN`. If they are not set, reads the profile `AWS_PROFILE` (by default, `default`)
 * from the file `AWS_SHARED_CREDENTIALS_FILE` (by default, `~/.aws/credentials`).
 *
 * @throws {S3CredentialsError} if there are no keys.
 */
export async function findS3Credentials(env: Environment): Promise<S3Credentials> {
  const given = complete({
    id: env.AWS_ACCESS_KEY_ID,
    secret: env.AWS_SECRET_ACCESS_KEY,
    token: env.AWS_SESSION_TOKEN,
  }, "the environment");
  if (given !== undefined) return given;
  const named = env.AWS_SHARED_CREDENTIALS_FILE || undefined;
  const path = named ?? join(env.HOME || homedir(), ".aws", "credentials");
  const profile = env.AWS_PROFILE || "default";
  const settings = readProfile(await readFile(path, named !== undefined) ?? "", profile);
  const kept = complete({
    id: settings.get("aws_access_key_id"),
    secret: settings.get("aws_secret_access_key"),
    token: settings.get("aws_session_token"),
  }, path);
  if (kept !== undefined) return kept;
  throw new S3CredentialsError(
    `No access key for the object storage in the environment or in profile "${profile}" of ${path}. ${ADVICE}`,
  );
}
