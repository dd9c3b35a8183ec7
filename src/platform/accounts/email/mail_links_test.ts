import assert from "node:assert/strict";
import { Failure } from "../../core/http/failure.ts";
import {
  clientAt,
  newAccount,
  newPerson,
  PASSWORD,
  requestWith,
  tokenOf,
  withAccounts,
} from "../_test_accounts.ts";
import type { RecordStore } from "../../../store/mod.ts";

const HOUR = 60 * 60 * 1000;
const ada = { name: "ada", email: "ada@example.com", password: PASSWORD };
const NEXT = "another good password";

const refused = (code: string) => (error: unknown) =>
  error instanceof Failure && error.code === code;

Deno.test("a sign-up gets the same response for any address; only the email differs", () =>
  withAccounts(async (test) => {
    await newAccount(test);
    test.mails.length = 0;
    const free = await test.signUp.signUp({ ...ada, email: "bob@example.com" }, clientAt());
    const taken = await test.signUp.signUp({ ...ada, email: "Ada@Example.com" }, clientAt());
    assert.deepEqual(free, { status: "confirmation_required" });
    assert.deepEqual(taken, free);
    const [toBob, toAda] = test.mails;
    assert.deepEqual([toBob!.to, toAda!.to], ["bob@example.com", "ada@example.com"]);
    assert.match(toBob!.subject, /^Confirm your account on localhost:8787$/);
    assert.match(toAda!.text, /You already have an account, so no new one/);
    assert.match(toAda!.button.url, /\/forgot-password$/);
  }, { sendsMail: true }));

Deno.test("an account is created when its link is opened, and the link works only once", () =>
  withAccounts(async (test) => {
    await test.signUp.signUp({ ...ada, next: "/device?code=AB" }, clientAt());
    const signIn = () => test.signIn.signIn(ada, clientAt());
    await assert.rejects(signIn, refused("unauthorized"));
    const token = tokenOf(test.mails[0]!);
    const { signedIn, next } = await test.signUp.confirm(token, clientAt());
    assert.deepEqual([signedIn.account.email, next], ["ada@example.com", "/device?code=AB"]);
    assert.equal((await signIn()).status, "signed_in");
    await assert.rejects(() => test.signUp.confirm(token, clientAt()), refused("not_found"));
  }, { sendsMail: true }));

const lifetimes = [
  ["just under a day", 24 * HOUR - 1, true],
  ["a day", 24 * HOUR, false],
] as const;

for (const [name, pause, works] of lifetimes) {
  Deno.test(`a confirmation ${works ? "works" : "does not work"} after ${name}`, () =>
    withAccounts(async (test) => {
      await test.signUp.signUp(ada, clientAt());
      test.time += pause;
      const confirm = () => test.signUp.confirm(tokenOf(test.mails[0]!), clientAt());
      if (works) await confirm();
      else await assert.rejects(confirm, refused("not_found"));
    }, { sendsMail: true }));
}

Deno.test("a reset link sets the password once, ends all sessions, and is reported", () =>
  withAccounts(async (test) => {
    const cookie = await newAccount(test);
    await test.passwordReset.request("ADA@example.com", clientAt());
    const token = tokenOf(test.mails.at(-1)!);
    assert.equal(await test.passwordReset.isOpen(token, clientAt()), true);
    await test.passwordReset.complete({ token, password: NEXT }, clientAt());
    assert.equal(await test.authenticator.visitor(requestWith(cookie), clientAt()), undefined);
    await assert.rejects(() => test.signIn.signIn(ada, clientAt()), refused("unauthorized"));
    const again = await test.signIn.signIn({ ...ada, password: NEXT }, clientAt());
    assert.equal(again.status, "signed_in");
    const reuse = () => test.passwordReset.complete({ token, password: PASSWORD }, clientAt());
    await assert.rejects(reuse, refused("not_found"));
    assert.ok(test.events.some(({ event }) => event === "security.password_changed"));
  }, { sendsMail: true }));

Deno.test("a link is invalid if the password has changed since the link was sent", () =>
  withAccounts(async (test) => {
    const person = await newPerson(test);
    await test.passwordReset.request(ada.email, clientAt());
    await test.account.changePassword(person, { current: PASSWORD, next: NEXT }, clientAt());
    const given = { token: tokenOf(test.mails.at(-1)!), password: "a thief's password" };
    await assert.rejects(
      () => test.passwordReset.complete(given, clientAt()),
      refused("not_found"),
    );
    assert.equal(
      (await test.signIn.signIn({ ...ada, password: NEXT }, clientAt())).status,
      "signed_in",
    );
  }, { sendsMail: true }));

Deno.test("an unknown address gets no email, and a known one at most 5 an hour per network and 20 in total", () =>
  withAccounts(async (test) => {
    await newAccount(test);
    test.mails.length = 0;
    await test.passwordReset.request("eve@example.com", clientAt());
    assert.equal(test.mails.length, 0);
    test.time += HOUR * 2;
    for (let time = 0; time < 8; time++) {
      await test.passwordReset.request(ada.email, clientAt("192.0.2.77"));
    }
    assert.equal(test.mails.length, 5);
    for (let time = 0; time < 30; time++) {
      await test.passwordReset.request(ada.email, clientAt(`203.0.113.${time}`));
    }
    assert.equal(test.mails.length, 20);
    const signedIn = await test.signIn.signIn(ada, clientAt());
    assert.ok(signedIn.status === "signed_in");
    const cookie = signedIn.deviceCookie.split(";")[0]!;
    await test.passwordReset.request(ada.email, clientAt("198.51.100.1", null, cookie));
    assert.equal(test.mails.length, 21, "a known browser has its own email limit");
  }, { sendsMail: true }));

Deno.test("without email, an account is created immediately, and passwords cannot be reset", () =>
  withAccounts(async (test) => {
    assert.equal((await test.signUp.signUp(ada, clientAt())).status, "signed_in");
    const reset = () => test.passwordReset.request(ada.email, clientAt());
    await assert.rejects(reset, /cannot reset passwords, because it has no mail server/);
    assert.equal(test.passwordReset.isPossible, false);
  }));

Deno.test("the store contains no token from an email", () =>
  withAccounts(async (test) => {
    await test.signUp.signUp(ada, clientAt());
    const token = tokenOf(test.mails[0]!);
    for await (const entry of test.kv.list({ prefix: [] })) {
      assert.ok(!JSON.stringify([entry.key, entry.value]).includes(token));
    }
  }, { sendsMail: true }));

/** Counts the calls to each of the store's methods while a function runs. */
async function storeCalls(
  kv: RecordStore,
  run: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const { get, set, atomic } = kv;
  const counted = <F extends (...given: never[]) => unknown>(name: string, call: F) =>
    ((...given: Parameters<F>) => {
      counts[name] = (counts[name] ?? 0) + 1;
      return call.apply(kv, given);
    }) as F;
  Object.assign(kv, {
    get: counted("get", get),
    set: counted("set", set),
    atomic: counted("atomic", atomic),
  });
  try {
    await run();
  } finally {
    Object.assign(kv, { get, set, atomic });
  }
  return counts;
}

Deno.test("sign-up and reset do the same work whether or not the address has an account", () =>
  withAccounts(async (test) => {
    await newAccount(test);
    const signUp = (email: string) =>
      storeCalls(test.kv, () => test.signUp.signUp({ ...ada, email }, clientAt()));
    const reset = (email: string) =>
      storeCalls(test.kv, () => test.passwordReset.request(email, clientAt()));
    const [free, taken] = [await signUp("bob@example.com"), await signUp(ada.email)];
    assert.deepEqual([free.set, taken.set], [1, 1]);
    assert.ok(Math.abs((free.get ?? 0) - (taken.get ?? 0)) <= 1, "an existing user is read");
    const [unknown, known] = [await reset("eve@example.com"), await reset(ada.email)];
    assert.deepEqual([unknown.set, known.set], [1, 1]);
    assert.ok(Math.abs((unknown.get ?? 0) - (known.get ?? 0)) <= 1);
  }, { sendsMail: true }));
