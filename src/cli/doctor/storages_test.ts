import assert from "node:assert/strict";
import { dirname } from "node:path";
import { openFaultyStorage } from "../../platform/core/s3/_test_storage.ts";
import { NO_POSTGRES, TestPg } from "../../platform/core/store/_test_pg.ts";
import type { StoreFacts } from "../../store/mod.ts";
import { examineBlobs, examineStore, judgeStore } from "./storages.ts";

const WELL: StoreFacts = {
  version: "16.4",
  versionNumber: 160_004,
  mayWrite: true,
  isMade: true,
  standbys: 'ANY 1 ("a","b")',
  commitsWait: true,
  skewMs: -3,
};

const statesOf = (facts: Partial<StoreFacts>) =>
  judgeStore({ ...WELL, ...facts }).map(({ state }) => state).join(" ");

Deno.test("judgeStore() names version, rights, standbys and clock", () => {
  assert.equal(statesOf({}), "ok ok ok");
  assert.equal(statesOf({ versionNumber: 130_009 }), "fail ok ok");
  assert.equal(statesOf({ mayWrite: false }), "fail ok ok");
  assert.equal(statesOf({ standbys: "" }), "ok warn ok");
  assert.equal(statesOf({ commitsWait: false }), "ok warn ok");
  assert.equal(statesOf({ skewMs: -5000 }), "ok ok warn");
  const [rights] = judgeStore({ ...WELL, mayWrite: false, isMade: false });
  assert.match(rights!.advice!, /Grant the role CREATE on the database/);
});

Deno.test({
  name: "examineStore() looks at a PostgreSQL, makes nothing in it, and names what is wrong",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    await using pg = await TestPg.start();
    const { socket, user, database, password } = await pg.newAddress();
    const at = (role: string) => `postgres://${role}@/${database}?host=${dirname(socket!)}`;
    const env = { SVC_KV_PASSWORD: password! };
    const [store, standbys, clock] = await examineStore(at(user), env);
    assert.equal(store!.state, "ok");
    assert.match(store!.found, /^PostgreSQL \d+.*svc will make its tables$/);
    assert.deepEqual([standbys!.state, clock!.state], ["warn", "ok"]);
    const [row] = await pg.runSql(
      "SELECT to_regnamespace('svc') IS NOT NULL AS made",
      database,
    );
    assert.equal(row?.made, false);
    await pg.runSql(`CREATE ROLE guest LOGIN PASSWORD '${password}'`);
    const [guest] = await examineStore(at("guest"), env);
    assert.deepEqual([guest!.state, /may not write/.test(guest!.found)], ["fail", true]);
    const [refused] = await examineStore(at(user), { SVC_KV_PASSWORD: "not-this-one" });
    assert.equal(refused!.state, "fail");
    assert.match(refused!.found, /password/);
    assert.doesNotMatch(refused!.found, /not-this-one/);
  },
});

Deno.test("examineBlobs() leaves nothing in the storage, and names what it refuses", async () => {
  await using storage = await openFaultyStorage();
  const well = await examineBlobs(storage.place, storage.env);
  assert.deepEqual(well.state, "ok", well.found);
  const methods = storage.requests.map((request) => request.split(" ")[0]);
  assert.deepEqual(methods, ["GET", "PUT", "GET", "DELETE"]);
  const denied = "<Error><Code>AccessDenied</Code><Message>Not you</Message></Error>";
  for (const [method, verb] of [["PUT", "store"], ["DELETE", "delete"]] as const) {
    storage.fault = (request) =>
      request.method === method ? new Response(denied, { status: 403 }) : "pass";
    const point = await examineBlobs(storage.place, storage.env);
    assert.equal(point.state, "fail");
    assert.match(point.found, new RegExp(`Cannot ${verb} objects: 403 AccessDenied`));
  }
});
