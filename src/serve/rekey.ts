/**
 * Re-keys a data directory: creates a new key, re-encrypts all secrets with it, and removes the old
 * key. A crash loses nothing: both keys are kept until all secrets are re-encrypted, and another
 * call continues.
 *
 * @module
 */
import type { Environment } from "../lib/network_variables.ts";
import { systemRandom } from "../lib/clock.ts";
import { resealSecondFactors } from "../platform/accounts/mod.ts";
import { AccessKeys } from "../platform/blobs/mod.ts";
import { DrainStore } from "../platform/drains/drain_record.ts";
import { BranchStore } from "../platform/databases/mod.ts";
import { resealVariables, VariableStore } from "../platform/variables/mod.ts";
import { GitCredentialStore } from "../platform/projects/mod.ts";
import {
  addKey,
  checkKeys,
  forgetOldKeys,
  readKeyRing,
  resealSettings,
  SecretBox,
} from "../platform/core/secrets/mod.ts";
import { resealAccountMails, WebhookStore } from "../platform/notifications/mod.ts";
import { isRemoteStore, openDataDir, openKv, placeName } from "../platform/core/store/mod.ts";
import { requireFormat } from "./settle_format.ts";
import { CertificateStore } from "../platform/certificates/mod.ts";

/**
 * Re-keys a data directory that no platform is using. Returns the number of secrets that were
 * re-encrypted.
 *
 * @throws {DataDirInUseError} while a platform is using it.
 * @throws {DataNewerError} if a newer program has written it.
 * @throws {DataNotMigratedError} if an older program has written it.
 * @throws {KeyFileError} if its key file is missing or damaged.
 * @throws {DataIncompleteError} if its key file belongs to another data directory.
 */
export async function rekeyDataDir(options: {
  readonly dataDir: string;
  /** Path or URL of the key-value store; by default, in the data directory. */
  readonly kv?: string;
  /** Completes the URL of a PostgreSQL server, for example with the password. */
  readonly env: Environment;
}): Promise<number> {
  const dataDir = await openDataDir(options.dataDir);
  try {
    await requireFormat(options.dataDir);
    const kv = await openKv(options.kv ?? dataDir.kv, options.env);
    try {
      const place = options.kv ?? dataDir.kv;
      const former = new SecretBox(await readKeyRing(dataDir.keys), systemRandom);
      const places = { kv: placeName(place), keys: dataDir.keys, isShared: isRemoteStore(place) };
      await checkKeys({ kv, box: former }, places);
      const box = new SecretBox(await addKey(dataDir.keys, systemRandom), systemRandom);
      const variables = new VariableStore(kv);
      const count = await resealVariables({ variables, box }) +
        await new GitCredentialStore(kv, box).reseal() +
        await new CertificateStore(kv, box).reseal() + await resealSecondFactors(kv, box) +
        await resealSettings(kv, box) + await new WebhookStore(kv).reseal(box) +
        await new AccessKeys(kv, box).reseal() + await new DrainStore(kv, box).reseal() +
        await new BranchStore(kv).reseal(box) + await resealAccountMails(kv, box);
      await forgetOldKeys(dataDir.keys);
      return count;
    } finally {
      kv.close();
    }
  } finally {
    dataDir.release();
  }
}
