import assert from "node:assert/strict";
import fc from "fast-check";
import { companionOf, parseDomainName } from "./domain_name.ts";

const options = { reserved: ["apps.example.com", "localhost"] };

const good = [
  ["www.shop.example", "www.shop.example", "shop.example"],
  ["shop.example", "shop.example", "shop.example"],
  ["SHOP.Example.", "shop.example", "shop.example"],
  ["bücher.example", "xn--bcher-kva.example", "xn--bcher-kva.example"],
  ["Straße.example", "xn--strae-oqa.example", "xn--strae-oqa.example"],
  ["ｓｈｏｐ.example", "shop.example", "shop.example"],
  ["shop。example", "shop.example", "shop.example"],
  ["аррӏе.com", "xn--80ak6aa92e.com", "xn--80ak6aa92e.com"],
  ["a.b.shop.co.uk", "a.b.shop.co.uk", "shop.co.uk"],
  ["*.shop.co.uk", "*.shop.co.uk", "shop.co.uk"],
  ["me.github.io", "me.github.io", "me.github.io"],
  ["example.com", "example.com", "example.com"],
] as const;

for (const [text, hostname, zone] of good) {
  Deno.test(`parseDomainName() reads ${text} as ${hostname}`, async () => {
    assert.deepEqual(await parseDomainName(text, options), { ok: true, name: { hostname, zone } });
  });
}

const bad = [
  ["", /valid/],
  ["localhost", /belongs to the platform$/],
  ["a.localhost", /belongs to the platform$/],
  ["apps.example.com", /belongs to the platform$/],
  ["shop.Apps.Example.com", /belongs to the platform$/],
  ["*.apps.example.com", /belongs to the platform$/],
  ["co.uk", /registered/],
  ["*.co.uk", /registered/],
  ["com", /registered/],
  ["github.io", /registered/],
  ["127.0.0.1", /IP address/],
  ["127.1", /IP address/],
  ["0x7f.1", /IP address/],
  ["2130706433", /IP address/],
  ["[::1]", /IP address/],
  ["::1", /IP address/],
  ["１２７.0.0.1", /IP address/],
  ["https://shop.example", /scheme/],
  ["shop.example/path", /path/],
  ["shop.example?x", /path/],
  ["shop.example:443", /port/],
  ["user@shop.example", /userinfo/],
  ["shop..example", /labels/],
  ["-shop.example", /labels/],
  ["_dmarc.shop.example", /labels/],
  [`${"x".repeat(64)}.example`, /labels/],
  [`${"x.".repeat(130)}example`, /253/],
  ["a.*.example", /wildcard/],
  ["**.example", /wildcard/],
  ["*.*.example", /wildcard/],
  ["*", /wildcard/],
  ["sh%6fp.example", /letters/],
  ["shop .example", /letters/],
  ["shop\u0000.example", /letters/],
  ["xn--a.example", /valid/],
  ["a\u200d.example", /valid|labels/],
] as const;

for (const [text, reason] of bad) {
  Deno.test(`parseDomainName() refuses ${JSON.stringify(text.slice(0, 40))}`, async () => {
    const result = await parseDomainName(text, options);
    assert.ok(!result.ok, JSON.stringify(result));
    assert.match(result.reason, reason);
  });
}

Deno.test("parseDomainName() returns names that parse to themselves and are in their zone", () => {
  fc.assert(
    fc.asyncProperty(fc.oneof(fc.domain(), fc.string(), fc.webAuthority()), async (text) => {
      const result = await parseDomainName(text, options);
      if (!result.ok) return;
      const { hostname, zone } = result.name;
      assert.match(hostname, /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+$/);
      assert.ok(hostname === zone || hostname.endsWith(`.${zone}`));
      assert.deepEqual(await parseDomainName(hostname, options), result);
    }),
  );
});

Deno.test("companionOf() pairs an apex with its www name", () => {
  const zone = "shop.example";
  assert.equal(companionOf({ hostname: zone, zone }), "www.shop.example");
  assert.equal(companionOf({ hostname: "www.shop.example", zone }), zone);
  assert.equal(companionOf({ hostname: "blog.shop.example", zone }), undefined);
  assert.equal(companionOf({ hostname: "*.shop.example", zone }), undefined);
});
