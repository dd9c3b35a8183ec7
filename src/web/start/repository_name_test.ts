import assert from "node:assert/strict";
import { repositoryName, toProjectName } from "./repository_name.ts";

for (
  const [url, name] of [
    ["https://git.example/ada/Harbour_Shop.git", "harbour-shop"],
    ["git@git.example:shop.git", "shop"],
    ["/srv/repositories/tides/", "tides"],
    ["https://git.example/ada/...git", ""],
  ] as const
) {
  Deno.test(`repositoryName() returns "${name}" for ${url}`, () => {
    assert.equal(repositoryName(url), name);
  });
}

Deno.test("toProjectName() removes accents and keeps at most 40 characters", () => {
  assert.equal(toProjectName("Café du Port (Kopie)"), "cafe-du-port-kopie");
  assert.equal(toProjectName(`${"a".repeat(39)}-b`), "a".repeat(39));
});
