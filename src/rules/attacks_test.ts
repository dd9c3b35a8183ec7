/** Attacks on the evaluation of rules. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { decide, type ShortRule } from "./_test_rules.ts";
import { compileRules } from "./compile/compile_rules.ts";
import { factsFromRequest } from "./request/facts.ts";
import { normalizeRules } from "./rule_set/normalize.ts";
import { SCHEMA_VERSION } from "./rule_set/types.ts";

const DENY_ADMIN: readonly [name: string, rule: ShortRule][] = [
  ["exact", [{ path: { type: "exact", value: "/admin/panel" } }, { type: "deny" }]],
  ["prefix", [{ path: { type: "prefix", value: "/admin/" } }, { type: "deny" }]],
  ["glob", [{ path: { type: "glob", value: "/admin/**" } }, { type: "deny" }]],
  ["any", [{ any: [{ path: { type: "prefix", value: "/admin/" } }] }, { type: "deny" }]],
];

/** Spellings of /admin/panel that some server or browser accepts. */
const CONFUSIONS: readonly [name: string, path: string][] = [
  ["as it is", "/admin/panel"],
  ["an encoded letter", "/%61dmin/panel"],
  ["all letters encoded", "/%61%64%6D%69%6E/%70%61%6e%65%6c"],
  ["doubled slashes", "//admin///panel"],
  ["a dot segment", "/./admin/./panel"],
  ["an encoded dot segment", "/%2e/admin/%2E/panel"],
  ["a step back", "/public/../admin/panel"],
  ["an encoded step back", "/public/%2e%2e/admin/panel"],
  ["a half-encoded step back", "/public/.%2E/admin/panel"],
  ["a step back above the root", "/../../admin/panel"],
  ["a backslash", "/admin\\panel"],
  ["a step back with backslashes", "/public\\..\\admin\\panel"],
  ["a step back over doubled slashes", "/public//../admin/panel"],
];

Deno.test("a deny rule matches every spelling of its path", async (t) => {
  for (const [kind, rule] of DENY_ADMIN) {
    for (const [name, url] of CONFUSIONS) {
      await t.step(`${kind}: ${name}`, () => {
        assert.equal(decide([rule], url).terminal.type, "deny");
      });
    }
  }
});

Deno.test("an encoded slash is data, not a separator", () => {
  for (const url of ["/admin%2Fpanel", "/admin%5cpanel", "/public/..%2fadmin/panel"]) {
    for (const [, rule] of DENY_ADMIN) assert.equal(decide([rule], url).terminal.type, "none", url);
  }
});

Deno.test("a path with an encoded NUL or a broken escape has no facts", () => {
  for (const url of ["/admin/panel%00", "/admin%00.html", "/admin/%", "/admin/%zz"]) {
    assert.ok("rejected" in factsFromRequest({ url }), url);
  }
});

const NASTY = fc.array(fc.constantFrom(
  "\r",
  "\n",
  "%0d%0a",
  "%0D%0ASet-Cookie:%20a=b",
  "%E5%98%8A",
  "\u560a",
  "\u2028",
  "//",
  "\\",
  "%5c",
  "%2f%2f",
  "evil.test",
  "@evil.test",
  "https:",
  "https://evil.test",
  ":",
  "..",
  "%2e%2e",
  "\t",
  "?",
  "a",
)).map((parts) => `/${parts.join("")}`);

const ECHO: readonly ShortRule[] = [
  [{ path: { type: "glob", value: "/{all...}" } }, {
    type: "set_headers",
    headers: { "x-echo": "{all}", "link": "</{all}>; rel=canonical" },
  }],
];

Deno.test("no capture can end a header or start another", () => {
  fc.assert(fc.property(NASTY, (url) => {
    const facts = factsFromRequest({ url });
    fc.pre(!("rejected" in facts));
    for (const edit of decide(ECHO, url).headerEdits) {
      assert.ok(edit.type === "set");
      assert.match(edit.value, /^[\x20-\x7e]*$/);
      assert.equal(new Headers([[edit.name, edit.value]]).get(edit.name), edit.value.trim());
    }
  }));
});

const TARGETS = [
  "{all}",
  "/{all}",
  "/{all}/x",
  "{all}/{all}",
  "/x/{all}",
  "/?to={all}",
  "/#{all}",
];

Deno.test("no capture can redirect to another site", () => {
  fc.assert(fc.property(NASTY, fc.constantFrom(...TARGETS), (url, target) => {
    fc.pre(!("rejected" in factsFromRequest({ url })));
    const condition = { path: { type: "glob", value: "/{all...}" } } as const;
    const { terminal } = decide([[condition, { type: "redirect", target }]], url);
    assert.ok(terminal.type === "redirect");
    assert.match(terminal.location, /^\/(?![\/\\])[\x21-\x7e]*$/);
    assert.equal(new URL(terminal.location, "https://site.test/a/b").origin, "https://site.test");
  }));
});

Deno.test("no capture can change the host of an absolute target", () => {
  const condition = { path: { type: "glob", value: "/{all...}" } } as const;
  for (const type of ["redirect", "rewrite"] as const) {
    fc.assert(fc.property(NASTY, (url) => {
      fc.pre(!("rejected" in factsFromRequest({ url })));
      const target = "https://good.test/{all}?q={all}";
      const action = type === "redirect"
        ? { type, target } as const
        : { type, target, external: true } as const;
      const { terminal, rewrite } = decide([[condition, action]], url);
      const led = terminal.type === "redirect"
        ? terminal.location
        : rewrite?.type === "external"
        ? rewrite.url
        : "";
      assert.equal(new URL(led).origin, "https://good.test");
    }));
  }
});

Deno.test("no raw query can end the Location header", () => {
  for (const query of ["a=\r\nb", "a=\u560a", "a=\0", "a= b"]) {
    const { terminal } = decide([[{}, { type: "redirect", target: "/x" }]], `/?${query}`);
    assert.match(terminal.type === "redirect" ? terminal.location : "", /^\/x\?[\x21-\x7e]*$/);
  }
});

Deno.test("an IPv4 block matches any spelling of its addresses, and no other address", () => {
  const deny: ShortRule = [{ sourceIpCidrs: ["192.0.2.0/24"] }, { type: "deny" }];
  const mapped: ShortRule = [{ sourceIpCidrs: ["::ffff:192.0.2.0/120"] }, { type: "deny" }];
  for (const rule of [deny, mapped]) {
    for (
      const ip of ["192.0.2.9", "::ffff:192.0.2.9", "::ffff:c000:209", "0:0:0:0:0:FFFF:192.0.2.9"]
    ) {
      assert.equal(decide([rule], { url: "/", ip }).terminal.type, "deny", ip);
    }
    for (const ip of ["192.0.3.9", "64:ff9b::c000:209", "not an address", ""]) {
      assert.equal(decide([rule], { url: "/", ip }).terminal.type, "none", ip);
    }
  }
});

Deno.test("compileRules() rejects a rewrite whose `external` contradicts its target", () => {
  for (const [target, external] of [["/x", true], ["https://a.test/", false]] as const) {
    const action = { type: "rewrite", target, external } as const;
    const set = normalizeRules({ schemaVersion: SCHEMA_VERSION, rules: [{ id: "r", action }] });
    assert.throws(() => compileRules(set), TypeError);
  }
});

Deno.test("names from Object.prototype are ordinary names", () => {
  for (const field of ["headers", "query", "cookies"] as const) {
    const condition = { [field]: { constructor: "1", tostring: "2" } };
    assert.equal(decide([[condition, { type: "log" }]], "/?valueOf=1").hits.length, 0);
  }
});
