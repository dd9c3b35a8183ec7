import assert from "node:assert/strict";
import { join } from "node:path";
import { mmdbOf } from "./_test_mmdb.ts";
import { GeoFileError, loadGeo } from "./load_geo.ts";
import { openCountryDatabase } from "./lookup.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";

const SHIPPED = new URL(
  import.meta.resolve("@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb"),
);

async function inFolder(test: (path: string) => Promise<void>): Promise<void> {
  await inTestFolder(async (folder) => {
    await test(join(folder, "addresses.mmdb"));
  });
}

async function load(path: string, bytes: Uint8Array) {
  await Deno.writeFile(path, bytes);
  return (await loadGeo({ geoip: path, asn: path }, {
    warn: (message) => assert.fail(`A checked file failed: ${message}`),
  })).geo;
}

Deno.test("loadGeo() accepts a complete database chosen by the operator", () =>
  inFolder(async (path) => {
    const geo = await load(path, await Deno.readFile(SHIPPED));
    assert.equal(geo.country("8.8.8.8"), "US");
    assert.equal(geo.country("2001:67c:2e8:22::c100:68b"), "NL");
  }));

Deno.test("loadGeo() refuses a database that was cut short or overwritten, with its path", () =>
  inFolder(async (path) => {
    const whole = await Deno.readFile(SHIPPED);
    const third = Math.floor(whole.byteLength / 3);
    const zeroed = whole.slice();
    zeroed.fill(0, third, third + 4096);
    const noise = whole.slice();
    for (let at = 1000; at < 9000; at++) noise[at] = 255 - (at * 37) % 256;
    const joined = new Uint8Array([...whole.subarray(0, third), ...whole.subarray(2 * third)]);
    for (
      const [name, bytes] of Object.entries({
        empty: new Uint8Array(),
        cut: whole.subarray(0, third),
        "without its middle part": joined,
        "with other bytes": noise,
      })
    ) {
      await assert.rejects(load(path, bytes), (error) => {
        assert.ok(error instanceof GeoFileError, `${name}: ${error}`);
        return error.message.startsWith(`Cannot use the address database ${path}: `);
      }, name);
    }
  }));

Deno.test("if a database with a changed byte passes the check, no lookup in it fails", () =>
  inFolder(async (path) => {
    const whole = mmdbOf({ country: { iso_code: "de", names: { en: "x" } }, asn: 64496 });
    const counts = { refused: 0, taken: 0 };
    for (let at = 0; at < whole.byteLength; at++) {
      for (const value of [0, 1, 0x1f, 0x20, 0x3f, 0x7f, 0x80, 0xe1, 0xff]) {
        const bytes = whole.slice();
        bytes[at] = value;
        try {
          const geo = await load(path, bytes);
          for (const address of ["0.0.0.0", "127.255.255.255", "192.0.2.1", "2001:db8::1"]) {
            geo.country(address);
          }
          counts.taken++;
        } catch (error) {
          if (!(error instanceof GeoFileError)) throw error;
          counts.refused++;
        }
      }
    }
    assert.ok(counts.refused > 100 && counts.taken > 100, JSON.stringify(counts));
  }));

Deno.test("an address whose lookup fails counts as unknown, with one warning", () => {
  const bytes = mmdbOf({ country_code: "DE" });
  const warnings: unknown[] = [];
  const geo = openCountryDatabase(bytes, { onFailure: (cause) => warnings.push(cause) });
  // Simulates a disk fault in mapped memory: the tree now points outside of the file.
  bytes.set([0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 0);
  for (const address of ["192.0.2.1", "192.0.2.2", "8.8.8.8"]) {
    assert.equal(geo.country(address), undefined);
  }
  assert.equal(warnings.length, 1);
});
