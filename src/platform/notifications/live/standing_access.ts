/** Checks whether the credential that opened a long-lived connection is still valid. @module */
import type { Clock } from "../../../lib/clock.ts";
import type { Credential } from "../../core/access/mod.ts";
import { type CredentialMemory, hasEnded } from "../../accounts/mod.ts";

/** Creates a function that checks whether an accepted request's credential is still valid. */
export function standingAccess(
  { credential, hash }: { readonly credential: Credential; readonly hash: string },
  { memory, now }: { readonly memory: CredentialMemory; readonly now: Clock },
): () => Promise<boolean> {
  return async () => {
    const known = await memory.findByHash(credential.type, hash);
    if (known === undefined || hasEnded(known, now())) return false;
    const { user, workspaceId } = known.owner;
    if (workspaceId === null) return true;
    return await memory.workspaceOf(user.id, workspaceId) !== undefined;
  };
}
