/**
 * Checks whether a session has just started. A person who has no password needs such a session to
 * change how they sign in.
 *
 * @module
 */
import { Failure } from "../../core/http/mod.ts";
import type { Person } from "../../core/access/mod.ts";

/** Age below which a session can replace a password check, in milliseconds. */
export const FRESH_MS = 10 * 60 * 1000;

export function isFresh({ credential }: Person, now: number): boolean {
  return now - Date.parse(credential.createdAt) < FRESH_MS;
}

/** @throws {Failure} `forbidden` if the session is older than ten minutes. */
export function requireFresh(person: Person, now: number): void {
  if (isFresh(person, now)) return;
  throw new Failure(
    "forbidden",
    "Sign in again first: changing how you sign in requires a session that started in the last " +
      "ten minutes",
  );
}
