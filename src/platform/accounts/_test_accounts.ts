/**
 * Account services for tests, which use an in-memory store and a clock that tests can set.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { SecurityEvent } from "../../contract/security.ts";
import { systemRandom } from "../../lib/clock.ts";
import { uuidV7 } from "../../lib/ids.ts";
import type { Caller, Person } from "../core/access/caller.ts";
import type { Client } from "../core/http/client.ts";
import type { AccountMail } from "./email/account_mails.ts";
import { SecretBox } from "../core/secrets/secret_box.ts";
import { openKeyRing } from "../core/secrets/key_ring.ts";
import { type Accounts, createAccounts } from "./create_accounts.ts";
import { deriveByScrypt, type PasswordCost } from "./sign_in/password.ts";
import { DenoStore, type RecordStore } from "../../store/mod.ts";

export const ORIGIN = "http://localhost:8787";
export const PASSWORD = "correct horse battery";

export interface TestAccounts extends Accounts {
  readonly kv: RecordStore;
  /** The current time in milliseconds since the epoch, which tests can set. */
  time: number;
  readonly events: SecurityEvent[];
  readonly troubles: string[];
  /** Sent emails, if the test uses email. */
  readonly mails: AccountMail[];
  /** The cost parameters of each key that was derived from a password. */
  readonly derivations: PasswordCost[];
}

/** Returns a client with a documentation address (RFC 5737) and a country. */
export function clientAt(
  address = "192.0.2.1",
  country: string | null = null,
  cookie: string | null = null,
): Client {
  return { address, userAgent: "svc/0.0.0", cookie, country: () => country };
}

/** Returns a page request with a session cookie. */
export function requestWith(setCookie: string, init: RequestInit = {}, path = "/"): Request {
  const headers = new Headers(init.headers);
  headers.set("cookie", setCookie.slice(0, setCookie.indexOf(";")));
  return new Request(new URL(path, ORIGIN), { ...init, headers });
}

export async function withAccounts(
  run: (test: TestAccounts) => Promise<void>,
  options: { readonly sendsMail?: boolean } = {},
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-accounts-" });
  const kv = await DenoStore.open(":memory:");
  const clock = { time: Date.UTC(2026, 10, 21, 12) };
  const [events, troubles, mails]: [SecurityEvent[], string[], AccountMail[]] = [[], [], []];
  const derivations: PasswordCost[] = [];
  const sendMail = (mail: AccountMail | undefined) => {
    if (mail !== undefined) mails.push(mail);
    return Promise.resolve();
  };
  const services = createAccounts({
    kv,
    box: new SecretBox(await openKeyRing(`${folder}/keys.json`, systemRandom), systemRandom),
    publicOrigin: ORIGIN,
    now: () => clock.time,
    random: systemRandom,
    passwordCost: { n: 16, r: 1, p: 1 },
    deriveKey(password, salt, cost) {
      derivations.push(cost);
      return deriveByScrypt(password, salt, cost);
    },
    onSecurityEvent: (event) => events.push(event),
    outbound: () => Promise.reject(new Error("Nothing can be reached from here")),
    allowPrivate: false,
    audit: { record: () => Promise.resolve() },
    onTrouble: (message) => troubles.push(message),
    sendMail: options.sendsMail === true ? sendMail : undefined,
  });
  try {
    await run(Object.assign(clock, { ...services, kv, events, troubles, mails, derivations }));
    await services.lastUsed.close();
  } finally {
    kv.close();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Creates an account, and returns its cookie. */
export async function newAccount(
  test: TestAccounts,
  name = "ada",
  client = clientAt(),
): Promise<string> {
  const wanted = { name, email: `${name}@example.com`, password: PASSWORD };
  const answer = await test.signUp.signUp(wanted, client);
  if (answer.status === "signed_in") return answer.setCookie;
  const { signedIn } = await test.signUp.confirm(tokenOf(test.mails.at(-1)!), client);
  return signedIn.setCookie;
}

/**
 * Returns the person who is signed in with a session.
 *
 * @throws {AssertionError} if the session is no longer valid.
 */
export async function personOf(test: TestAccounts, setCookie: string): Promise<Person> {
  const person = await test.authenticator.visitor(requestWith(setCookie), clientAt());
  assert.ok(person !== undefined, "The session has ended");
  return person;
}

/** Creates an account, and signs in to it. */
export async function newPerson(
  test: TestAccounts,
  name?: string,
  client?: Client,
): Promise<Person> {
  return await personOf(test, await newAccount(test, name, client));
}

/** Creates a workspace that a person owns, in the form in which it is stored. */
export async function newWorkspace(
  test: TestAccounts,
  person: Person,
  slug: string,
): Promise<Caller["workspace"]> {
  const id = uuidV7(() => test.time, systemRandom);
  const workspace = { id, slug, name: slug, createdAt: test.time };
  assert.ok(await test.accounts.createWorkspace(workspace, person.user.id));
  test.parts.memory.forgetAll();
  return { id, slug, name: slug, role: "owner" };
}

/** Returns the token from the link in an email. */
export function tokenOf(mail: AccountMail): string {
  return new URL(mail.button.url).pathname.split("/").at(-1)!;
}
