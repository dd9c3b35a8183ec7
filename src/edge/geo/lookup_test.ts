import assert from "node:assert/strict";
import { mmdbOf } from "./_test_mmdb.ts";
import { loadGeo } from "./load_geo.ts";
import { openAsnDatabase, openCountryDatabase } from "./lookup.ts";

Deno.test("loadGeo() opens the shipped country database", async () => {
  const { geo, asn } = await loadGeo();
  assert.equal(asn, undefined);
  const rows: Readonly<Record<string, string | undefined>> = {
    "8.8.8.8": "US",
    "::ffff:8.8.8.8": "US",
    "193.0.6.139": "NL",
    "2001:67c:2e8:22::c100:68b": "NL",
    "127.0.0.1": undefined,
    "::1": undefined,
    "10.1.2.3": undefined,
    "not an address": undefined,
    "": undefined,
  };
  for (const [address, country] of Object.entries(rows)) {
    assert.equal(geo.country(address), country, address);
  }
});

Deno.test("loadGeo() reports which file it cannot open", async () => {
  await assert.rejects(
    loadGeo({ geoip: "/nonexistent.mmdb" }),
    / \/nonexistent\.mmdb: it does not exist/,
  );
  const text = await Deno.makeTempFile();
  await Deno.writeTextFile(text, "no database");
  await assert.rejects(loadGeo({ asn: text }), new RegExp(` ${text}: it is not an MMDB`));
  await Deno.remove(text);
});

Deno.test("openAsnDatabase() finds nothing in a country database", async () => {
  const path = new URL(
    import.meta.resolve(
      "@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country-ipv4.mmdb",
    ),
  );
  const bytes = await Deno.readFile(path);
  assert.equal(openAsnDatabase(bytes).asn("8.8.8.8"), undefined);
  assert.equal(openCountryDatabase(bytes).country("8.8.8.8"), "US");
  assert.equal(openCountryDatabase(bytes).country("2001:db8::1"), undefined);
});

const asnRecords: readonly (readonly [
  name: string,
  record: Parameters<typeof mmdbOf>[0],
  asn: number | undefined,
])[] = [
  ["MaxMind's field", { autonomous_system_number: 64496 }, 64496],
  ["a short field", { asn: 64497 }, 64497],
  ["text", { asn: "AS64497" }, undefined],
  ["zero", { asn: 0 }, undefined],
];

for (const [name, record, asn] of asnRecords) {
  Deno.test(`openAsnDatabase() reads ${name}`, () => {
    const database = openAsnDatabase(mmdbOf(record));
    assert.equal(database.asn("192.0.2.1"), asn);
    assert.equal(database.asn("2001:db8::1"), undefined);
  });
}

Deno.test("openCountryDatabase() reads MaxMind's nested records", () => {
  const database = openCountryDatabase(mmdbOf({ country: { iso_code: "de" } }));
  assert.equal(database.country("192.0.2.1"), "DE");
  assert.equal(
    openCountryDatabase(mmdbOf({ country_code: "EUR" })).country("192.0.2.1"),
    undefined,
  );
});

for (
  const [what, read, found, failures] of [
    ["a database", () => mmdbOf({ country_code: "de" }), "DE", 0],
    ["a damaged database", () => new Uint8Array(8), undefined, 1],
  ] as const
) {
  Deno.test(`openCountryDatabase() reads ${what} once, on first use`, () => {
    let [reads, failed] = [0, 0];
    const geo = openCountryDatabase(() => {
      reads++;
      return read();
    }, { onFailure: () => failed++ });
    assert.equal(reads, 0);
    const countries = ["192.0.2.1", "192.0.2.2"].map((address) => geo.country(address));
    assert.deepEqual(countries, [found, found]);
    assert.deepEqual([reads, failed], [1, failures]);
  });
}
