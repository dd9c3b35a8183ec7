import assert from "node:assert/strict";
import { clientAt, newPerson, newWorkspace, withAccounts } from "../_test_accounts.ts";
import type { TestAccounts } from "../_test_accounts.ts";
import { DeviceLoginService } from "./device_login_service.ts";
import { GrantStore } from "./grant_store.ts";
import { OAuthError } from "./parse_request.ts";

const HOUR = 60 * 60 * 1000;

const startAt = async (test: TestAccounts, address: string) =>
  await test.deviceLogin.start({ clientId: "tool" }, clientAt(address));

/** Returns the response to a poll: an error code, or `token`. */
async function poll(test: TestAccounts, deviceCode: string): Promise<string> {
  try {
    await test.deviceLogin.poll({ deviceCode, clientId: "tool" }, clientAt());
    return "token";
  } catch (error) {
    assert.ok(error instanceof OAuthError, String(error));
    return error.code;
  }
}

Deno.test("a code expires after 300 seconds, and is unknown an hour after that", () =>
  withAccounts(async (test) => {
    const started = await startAt(test, "192.0.2.1");
    test.time += 299_999;
    assert.equal(await poll(test, started.device_code), "authorization_pending");
    test.time += 1;
    assert.equal(await poll(test, started.device_code), "expired_token");
    const ada = await newPerson(test, "ada");
    await assert.rejects(
      test.deviceLogin.find(ada, started.user_code, clientAt()),
      /This code is wrong/,
    );
    test.time += HOUR;
    assert.equal(await poll(test, started.device_code), "invalid_grant");
  }));

/** Versions of all stored records. Any write would change them. */
const versionsIn = ({ kv }: TestAccounts) =>
  Array.fromAsync(kv.list({ prefix: [] }), ({ key, versionstamp }) => [...key, versionstamp]);

Deno.test("polls of a pending code write nothing, and slow down in memory", () =>
  withAccounts(async (test) => {
    const started = await startAt(test, "192.0.2.1");
    const before = await versionsIn(test);
    assert.equal(await poll(test, started.device_code), "authorization_pending");
    assert.equal(await poll(test, started.device_code), "slow_down");
    test.time += 10_000;
    assert.equal(await poll(test, started.device_code), "authorization_pending");
    assert.equal(await poll(test, "unknown"), "invalid_grant");
    assert.deepEqual(await versionsIn(test), before);
  }));

Deno.test("only the next poll after the approval gets the token, regardless of how early it is", () =>
  withAccounts(async (test) => {
    const started = await startAt(test, "192.0.2.1");
    const ada = await newPerson(test, "ada");
    const { id: workspaceId } = await newWorkspace(test, ada, "ada");
    for (const expected of ["authorization_pending", "slow_down", "slow_down"]) {
      assert.equal(await poll(test, started.device_code), expected);
    }
    const given = { userCode: started.user_code, workspaceId };
    await test.deviceLogin.approve(ada, given, clientAt());
    const answers = await Promise.all([1, 2, 3].map(() => poll(test, started.device_code)));
    assert.deepEqual(answers.sort(), ["invalid_grant", "invalid_grant", "token"]);
  }));

Deno.test("a restarted platform issues no token twice, and forgets only its clients' polling pace", () =>
  withAccounts(async (test) => {
    const started = await startAt(test, "192.0.2.1");
    const ada = await newPerson(test, "ada");
    const { id: workspaceId } = await newWorkspace(test, ada, "ada");
    assert.equal(await poll(test, started.device_code), "authorization_pending");
    const anew = () => ({
      ...test,
      deviceLogin: new DeviceLoginService(test.parts, new GrantStore(test.kv)),
    });
    assert.equal(await poll(anew(), started.device_code), "authorization_pending");
    const given = { userCode: started.user_code, workspaceId };
    await anew().deviceLogin.approve(ada, given, clientAt());
    // This node has not received the approval yet, and checks again after a second.
    assert.equal(await poll(test, started.device_code), "slow_down");
    test.time += 1000;
    const processes = [test, anew(), anew()];
    const answers = await Promise.all(processes.map((each) => poll(each, started.device_code)));
    assert.deepEqual(answers.sort(), ["invalid_grant", "invalid_grant", "token"]);
  }));

Deno.test("a person's tenth wrong user code is reported", () =>
  withAccounts(async (test) => {
    const ada = await newPerson(test, "ada");
    for (let guess = 0; guess < 10; guess++) {
      await assert.rejects(
        test.deviceLogin.find(ada, "BCDF-GHJK", clientAt()),
        /This code is wrong/,
      );
      test.time += 15 * 60_000;
    }
    assert.equal(test.events.at(-1)?.event, "security.suspicious_activity");
  }));

Deno.test("wrong user codes are limited across the whole platform, but correct ones are not", () =>
  withAccounts(async (test) => {
    const started = await startAt(test, "192.0.2.1");
    for (let n = 0; n < 20; n++) {
      const address = `198.51.100.${n}`;
      const person = await newPerson(test, `p${n}`, clientAt(address));
      await test.deviceLogin.find(person, started.user_code, clientAt(address));
      for (let guess = 0; guess < 5; guess++) {
        const wrong = test.deviceLogin.find(person, "BCDF-GHJK", clientAt(address));
        await assert.rejects(wrong, /This code is wrong/);
      }
    }
    const last = await newPerson(test, "last", clientAt("203.0.113.9"));
    const wrong = test.deviceLogin.find(last, "BCDF-GHJK", clientAt("203.0.113.9"));
    await assert.rejects(wrong, /Too many codes/);
  }));

Deno.test("a client's name is shortened, and shown without control characters", () =>
  withAccounts(async (test) => {
    const ada = await newPerson(test, "ada");
    const trick = `svc\u202e\n\u0000${"x".repeat(100)}`;
    const started = await test.deviceLogin.start({ clientId: trick }, clientAt());
    const shown = await test.deviceLogin.find(ada, started.user_code, clientAt());
    assert.equal(shown.tool, `svc${"x".repeat(57)}`);
    assert.equal((await startAt(test, "192.0.2.2")).expires_in, 300);
  }));

Deno.test("an IP address can start 10 logins in any 60 seconds, not in each clock minute", () =>
  withAccounts(async (test) => {
    const started = test.time;
    const start = async () => {
      try {
        await startAt(test, "192.0.2.1");
        return "started";
      } catch (error) {
        assert.ok(error instanceof OAuthError, String(error));
        return `${error.code} ${error.retryAfter}`;
      }
    };
    for (let n = 0; n < 10; n++) {
      assert.equal(await start(), "started");
      test.time += 1000;
    }
    for (let second = 10; second < 60; second++) {
      test.time = started + second * 1000;
      assert.equal(await start(), `rate_limited ${60 - second}`);
    }
    test.time = started + 60_000;
    assert.deepEqual([await start(), await start()], ["started", "rate_limited 1"]);
  }));
