import assert from "node:assert/strict";
import { countryName } from "../layout/world_map.tsx";
import { CountriesCard, shadeOf } from "./countries_card.tsx";
import world from "../layout/world_map.json" with { type: "json" };

Deno.test("countryName() names every counted country", () => {
  assert.deepEqual(["DE", "JP", "unknown", "XK"].map(countryName), [
    "Germany",
    "Japan",
    "Unknown",
    "Kosovo",
  ]);
});

Deno.test("shadeOf() is darkest for the most requests and lightest for a single request", () => {
  const shades = [[1, 1], [1, 1000], [10, 1000], [100, 1000], [1000, 1000]] as const;
  assert.deepEqual(shades.map(([count, most]) => shadeOf(count, most)), [4, 1, 2, 3, 4]);
});

Deno.test("the map has an outline for every country code", () => {
  const codes = Object.keys(world.shapes);
  assert.ok(codes.length > 170, `${codes.length}`);
  assert.ok(codes.every((code) => /^[A-Z]{2}$/.test(code)));
  assert.ok(Object.values(world.shapes).every((outline) => /^[Mlhvz\d -]+$/.test(outline)));
});

Deno.test("CountriesCard() maps known countries and lists all countries", () => {
  const countries = [{ value: "DE", count: 39 }, { value: "SG", count: 2 }, {
    value: "unknown",
    count: 1,
  }];
  const card = String(CountriesCard({ countries }));
  assert.match(card, /aria-label="World map, requests by country: 1 shown"/);
  assert.match(card, /<path class="shade-4" d="M[^"]+"><title>Germany: 39 requests<\/title>/);
  for (const name of ["Germany", "Singapore", "Unknown"]) {
    assert.match(card, new RegExp(`title="${name}"`));
  }
  assert.doesNotMatch(
    String(CountriesCard({ countries: countries.slice(2) })),
    /<svg class="world"/,
  );
});
