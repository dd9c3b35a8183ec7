/** Resources that are removed together with the credential that created them. @module */
import * as z from "zod";
import { Failure } from "../../core/http/mod.ts";
import { keys, readAll } from "../../core/store/mod.ts";
import { accountKeys } from "../account_keys.ts";
import type { Credential, SelfCaller } from "../../core/access/mod.ts";
import type { Operation, RecordKey, RecordStore } from "../../../store/mod.ts";

const creation = z.object({ keys: z.array(z.array(z.string())) });

/** Maximum number of records that one commit removes. Deno KV allows 1000 changes. */
const MAX_REMOVED = 500;

function credentialKey({ userId, credential }: SelfCaller): RecordKey {
  const { type, id } = credential;
  const places: Readonly<Record<Credential["type"], RecordKey>> = {
    api_key: keys.apiKey(id),
    access_token: accountKeys.accessToken(userId, id),
    session: accountKeys.session(userId, id),
  };
  return places[type];
}

/**
 * Adds a creation to its credential's list, in the operation that creates it. `id` identifies the
 * creation, and `keys` are its records.
 *
 * @throws {Failure} `unauthorized` if the credential was revoked.
 */
export async function addCreation(
  kv: RecordStore,
  operation: Operation,
  { own, id, keys }: {
    readonly own: SelfCaller;
    readonly id: string;
    readonly keys: readonly RecordKey[];
  },
): Promise<void> {
  const { key, versionstamp } = await kv.get(credentialKey(own));
  if (versionstamp === null) throw new Failure("unauthorized", "Credentials were revoked");
  operation.check({ key, versionstamp })
    .set(accountKeys.creation(own.credential.id, id), { keys });
}

/**
 * Removes a creation from its credential's list, because something else now removes the creation
 * itself.
 */
export function forgetCreation(
  operation: Operation,
  made: { readonly credentialId: string | null; readonly id: string },
): void {
  if (made.credentialId !== null) {
    operation.delete(accountKeys.creation(made.credentialId, made.id));
  }
}

/**
 * Adds the removal of a credential's creations to an operation. Returns whether there were any
 * creations.
 */
export async function endCreations(
  kv: RecordStore,
  operation: Operation,
  credentialId: string,
): Promise<boolean> {
  let removed = 0;
  for await (const { key, value } of readAll(kv, accountKeys.creations(credentialId), creation)) {
    operation.delete(key);
    for (const each of value.keys) operation.delete(each);
    removed += value.keys.length + 1;
    if (removed >= MAX_REMOVED) break;
  }
  return removed > 0;
}
