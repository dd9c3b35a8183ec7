import assert from "node:assert/strict";
import type { Endpoint } from "../../contract/endpoint.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { Failure } from "../core/http/failure.ts";
import {
  clientAt,
  newAccount,
  newPerson,
  newWorkspace,
  ORIGIN,
  PASSWORD,
  personOf,
  requestWith,
  withAccounts,
} from "./_test_accounts.ts";
import { totpCode, totpStep } from "./two_factor/totp.ts";

const DAY = 24 * 60 * 60 * 1000;
const MINUTE = 60_000;
const ME = endpoints.getIdentity as unknown as Endpoint;

const refused = (code: string) => (error: unknown) =>
  error instanceof Failure && error.code === code;

const lifetimes = [
  ["used daily for just under a month", 29, DAY, true],
  ["used daily for over a month", 30, DAY, false],
  ["unused for almost a week", 1, 7 * DAY - 1, true],
  ["unused for a week", 1, 7 * DAY, false],
] as const;

for (const [name, times, pause, lives] of lifetimes) {
  Deno.test(`a session ${name} ${lives ? "is valid" : "has ended"}`, () =>
    withAccounts(async (test) => {
      const request = requestWith(await newAccount(test));
      let person: unknown;
      for (let visit = 0; visit < times; visit++) {
        test.time += pause;
        person = await test.authenticator.visitor(request, clientAt());
      }
      assert.equal(person !== undefined, lives);
    }));
}

Deno.test("a repeated request does not read the store until something changes", () =>
  withAccounts(async (test) => {
    const cookie = await newAccount(test);
    const person = await personOf(test, cookie);
    await newWorkspace(test, person, "ada");
    const request = requestWith(cookie, { headers: { "x-workspace": "ada" } });
    const call = () => test.authenticator.caller(request, ME, clientAt());
    await call();
    await test.lastUsed.close();
    let reads = 0;
    const get = test.kv.get;
    test.kv.get = (...given) => {
      reads++;
      return get.apply(test.kv, given) as ReturnType<typeof get<never>>;
    };
    assert.equal((await call()).workspace.slug, "ada");
    assert.equal(reads, 0);
    await newWorkspace(test, person, "bob");
    await call();
    assert.ok(reads > 0, "the store is read again after a change");
  }));

Deno.test("a key's last use is written at most once a minute", () =>
  withAccounts(async (test) => {
    const person = await newPerson(test);
    const workspace = await newWorkspace(test, person, "ada");
    const caller = { user: person.user, workspace, credential: person.credential };
    const made = await test.apiKeys.create(
      caller,
      endpoints.createApiKey.body.parse({ name: "ci", role: "owner" }),
      clientAt(),
    );
    const headers = { authorization: `Bearer ${made.key}` };
    const use = async () => {
      await test.authenticator.caller(new Request(ORIGIN, { headers }), ME, clientAt());
      await test.lastUsed.close();
      const { items } = await test.apiKeys.list(caller, { limit: 10 });
      return items[0]!.lastUsedAt;
    };
    const first = await use();
    test.time += MINUTE - 1;
    assert.equal(await use(), first);
    test.time += 1;
    assert.equal(Date.parse((await use())!), test.time);
  }));

Deno.test("the tenth wrong password in a row is reported once", () =>
  withAccounts(async (test) => {
    await newAccount(test);
    for (let guess = 0; guess < 12; guess++) {
      const given = { email: "ada@example.com", password: `wrong ${guess}` };
      await assert.rejects(test.signIn.signIn(given, clientAt()), refused("unauthorized"));
      test.time += 15 * MINUTE;
    }
    assert.deepEqual(test.events.map(({ event }) => event), [
      "security.new_login",
      "security.suspicious_activity",
    ]);
  }));

Deno.test("a challenge ends after 5 minutes or when the password changes", () =>
  withAccounts(async (test) => {
    const person = await newPerson(test);
    const password = PASSWORD;
    const { secret } = await test.twoFactor.start(person, password, clientAt());
    const code = () => totpCode(secret, totpStep(test.time));
    await test.twoFactor.confirm(person, code(), clientAt());
    const signIn = async (given: string) => {
      const answer = await test.signIn.signIn(
        { email: "ada@example.com", password: given },
        clientAt(),
      );
      assert.ok(answer.status === "two_factor_required");
      return answer.challenge;
    };
    const late = await signIn(password);
    test.time += 5 * MINUTE;
    const second = (challenge: string) =>
      test.signIn.secondFactor({ challenge, code: code() }, clientAt());
    await assert.rejects(second(late), refused("unauthorized"));
    const open = await signIn(password);
    await test.account.changePassword(
      person,
      { current: password, next: "another one" },
      clientAt(),
    );
    await assert.rejects(second(open), refused("unauthorized"));
    assert.equal((await second(await signIn("another one"))).status, "signed_in");
    await assert.rejects(second(open), refused("unauthorized"));
  }));

Deno.test("a sign-in does the same work for an unknown account and a wrong password", () =>
  withAccounts(async (test) => {
    await newAccount(test, "ada");
    const workOf = async (email: string) => {
      test.derivations.length = 0;
      const attempt = test.signIn.signIn({ email, password: "wrong password" }, clientAt());
      await assert.rejects(attempt, refused("unauthorized"));
      return [...test.derivations];
    };
    const known = await workOf("ada@example.com");
    assert.equal(known.length, 1);
    assert.deepEqual(await workOf("nobody@example.com"), known);
  }));
