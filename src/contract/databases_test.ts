import assert from "node:assert/strict";
import { createDatabase, database, updateDatabase } from "./databases.ts";

for (const envVar of ["__proto__", "1_URL", "SHOP-URL", "", "A".repeat(129)]) {
  Deno.test(`a database cannot use the variable ${JSON.stringify(envVar.slice(0, 12))}`, () => {
    assert.equal(createDatabase.body.safeParse({ name: "shop", envVar }).success, false);
    assert.equal(updateDatabase.body.safeParse({ envVar }).success, false);
  });
}

Deno.test("a response can contain a variable that an older version accepted", () => {
  assert.equal(database.shape.envVar.safeParse("A".repeat(200)).success, true);
  assert.equal(createDatabase.body.parse({ name: "shop" }).envVar, "DATABASE_URL");
});
