/**
 * Whether a credential that opened something lasting is still good.
 *
 * @module
 */
import type { Clock } from "../../lib/clock.ts";
import type { CredentialMemory } from "../accounts/credential_memory.ts";
import { hasEnded } from "../accounts/known_credential.ts";
import { readSessionCookie } from "../accounts/session_cookie.ts";

const BEARER = /^Bearer +([\x21-\x7e]+)$/i;

/** Makes the question whether the credential of an accepted request is still good. */
export function standingAccess(
  request: Request,
  { memory, publicOrigin, now }: {
    readonly memory: CredentialMemory;
    readonly publicOrigin: string;
    readonly now: Clock;
  },
): () => Promise<boolean> {
  const bearer = BEARER.exec(request.headers.get("authorization") ?? "")?.[1];
  const session = readSessionCookie(request, { secure: publicOrigin.startsWith("https:") });
  return async () => {
    const known = bearer !== undefined
      ? await memory.findBearer(bearer)
      : session !== undefined
      ? await memory.findSession(session)
      : undefined;
    if (known === undefined || hasEnded(known, now())) return false;
    const { user, workspaceId } = known.holder;
    if (workspaceId === null) return true;
    return await memory.workspaceOf(user.id, workspaceId) !== undefined;
  };
}
