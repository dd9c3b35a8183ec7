import assert from "node:assert/strict";
import { uuidV7 } from "../../../lib/ids.ts";
import { systemRandom } from "../../../lib/clock.ts";
import { Failure } from "../../core/http/failure.ts";
import { keys } from "../../core/store/keys.ts";
import {
  clientAt,
  newAccount,
  newPerson,
  PASSWORD,
  personOf,
  type TestAccounts,
  tokenOf,
  withAccounts,
} from "../_test_accounts.ts";
import { FRESH_MS } from "../sign_in/fresh_session.ts";
import { totpCode, totpStep } from "../two_factor/totp.ts";

const WANTED = { email: "Mia@Example.com", password: "a password of mia" };

const refused = (code: string) => (error: unknown) =>
  error instanceof Failure && error.code === code;

/** Creates an account as a sign-up with the messenger does, and signs in to it. */
async function messengerAccount(test: TestAccounts) {
  const user = {
    id: uuidV7(() => test.time, systemRandom),
    name: "Mia",
    email: null,
    signUpMethod: "messenger" as const,
    createdAt: test.time,
  };
  await test.kv.set(keys.user(user.id), user);
  const { setCookie } = await test.signIn.begin(user, clientAt());
  return await personOf(test, setCookie);
}

Deno.test("an account created with the messenger can add an address and a password", () =>
  withAccounts(async (test) => {
    const mia = await messengerAccount(test);
    assert.equal((await test.account.show(mia)).hasPassword, false);
    const added = await test.emails.add(mia, WANTED, clientAt());
    assert.equal(added.status === "added" && added.account.email, "mia@example.com");
    assert.equal((await test.signIn.signIn(WANTED, clientAt())).status, "signed_in");
    const again = () => test.emails.add(mia, { ...WANTED, email: "x@y.z" }, clientAt());
    await assert.rejects(again, refused("conflict"), "it already has an address");
    assert.equal(test.events.at(-2)!.event, "security.password_changed");
  }));

Deno.test("an address that has an account cannot be added to another", () =>
  withAccounts(async (test) => {
    await newAccount(test, "mia");
    const other = await messengerAccount(test);
    const add = () => test.emails.add(other, WANTED, clientAt());
    await assert.rejects(add, refused("conflict"));
    assert.equal((await test.account.show(other)).hasPassword, false);
    const owner = { email: WANTED.email, password: PASSWORD };
    assert.equal((await test.signIn.signIn(owner, clientAt())).status, "signed_in");
  }));

Deno.test("with email, adding a free address and adding a taken one get the same response", () =>
  withAccounts(async (test) => {
    await newAccount(test, "ada");
    const mia = await messengerAccount(test);
    test.mails.length = 0;
    const free = await test.emails.add(mia, WANTED, clientAt());
    const taken = { ...WANTED, email: "ada@example.com" };
    assert.deepEqual(await test.emails.add(mia, taken, clientAt()), free);
    assert.deepEqual(test.mails.map(({ to }) => to), ["mia@example.com", "ada@example.com"]);
    assert.match(test.mails[1]!.text, /nothing was changed/);
    assert.match(test.mails[1]!.button.url, /\/sign-in$/);
    await assert.rejects(() => test.signIn.signIn(WANTED, clientAt()), refused("unauthorized"));
  }, { sendsMail: true }));

Deno.test("an address confirmation link works once, in a session of its account", () =>
  withAccounts(async (test) => {
    const mia = await messengerAccount(test);
    const eve = await messengerAccount(test);
    await test.emails.add(mia, WANTED, clientAt());
    const token = tokenOf(test.mails[0]!);
    const confirm = (person: typeof mia) => test.emails.confirm(person, token, clientAt());
    await assert.rejects(() => confirm(eve), refused("not_found"));
    assert.equal((await confirm(mia)).email, "mia@example.com");
    await assert.rejects(() => confirm(mia), refused("not_found"));
    assert.equal((await test.signIn.signIn(WANTED, clientAt())).status, "signed_in");
  }, { sendsMail: true }));

const ages = [
  ["just under ten minutes old", FRESH_MS - 1, true],
  ["ten minutes old", FRESH_MS, false],
] as const;

for (const [name, age, isFresh] of ages) {
  Deno.test(`a session ${name} ${isFresh ? "can" : "cannot"} replace a password`, () =>
    withAccounts(async (test) => {
      const mia = await messengerAccount(test);
      test.time += age;
      assert.equal(test.account.isFresh(mia), isFresh);
      for (
        const change of [
          () => test.twoFactor.start(mia, undefined, clientAt()),
          () => test.emails.add(mia, WANTED, clientAt()),
        ]
      ) {
        if (isFresh) await change();
        else await assert.rejects(change, refused("forbidden"));
      }
    }));
}

Deno.test("an account created with the messenger can turn a second factor on and off", () =>
  withAccounts(async (test) => {
    const mia = await messengerAccount(test);
    const { secret } = await test.twoFactor.start(mia, undefined, clientAt());
    const code = () => totpCode(secret, totpStep(test.time));
    await test.twoFactor.confirm(mia, code(), clientAt());
    const user = (await test.accounts.users.find(mia.user.id))!;
    assert.equal((await test.signIn.admit(user, clientAt())).status, "two_factor_required");
    test.time += 60_000;
    await assert.rejects(
      () => test.twoFactor.disable(mia, { code: "000000" }, clientAt()),
      refused("forbidden"),
    );
    const late = code();
    test.time += FRESH_MS;
    await assert.rejects(
      () => test.twoFactor.disable(mia, { code: late }, clientAt()),
      refused("forbidden"),
      "the session is too old",
    );
    test.time -= FRESH_MS;
    await test.twoFactor.disable(mia, { code: late }, clientAt());
    assert.equal((await test.account.show(mia)).twoFactorEnabled, false);
  }));

Deno.test("a fresh session cannot replace an existing password", () =>
  withAccounts(async (test) => {
    const ada = await newPerson(test);
    const start = () => test.twoFactor.start(ada, undefined, clientAt());
    await assert.rejects(start, refused("forbidden"));
  }));
