/**
 * Which session counts where a request carries several. Pure.
 *
 * @module
 */
import { addressGroup, agentName, type Client } from "../../core/http/mod.ts";
import type { KnownCredential } from "./known_credential.ts";

/**
 * Among sessions of one person the newest counts. Where somebody else planted a
 * session of their own account beside it, the one that began at this address
 * with this browser counts. If that holds for the sessions of more than one
 * person, or of none, no session counts, so that nobody is tricked into working
 * in another's account.
 */
export function chooseSession(
  sessions: readonly KnownCredential[],
  client: Client,
): KnownCredential | undefined {
  const [first] = sessions;
  if (first === undefined || sessions.length === 1) return first;
  if (areOfOnePerson(sessions)) return newest(sessions);
  const [group, agent] = [addressGroup(client.address), agentName(client.userAgent)];
  const own = sessions.filter(({ begunAt, owner }) =>
    begunAt !== null && addressGroup(begunAt) === group && owner.credential.name === agent
  );
  return areOfOnePerson(own) ? newest(own) : undefined;
}

const areOfOnePerson = (sessions: readonly KnownCredential[]): boolean =>
  new Set(sessions.map(({ owner }) => owner.user.id)).size <= 1;

function newest(sessions: readonly KnownCredential[]): KnownCredential | undefined {
  return sessions.toSorted((a, b) => b.createdAt - a.createdAt)[0];
}
