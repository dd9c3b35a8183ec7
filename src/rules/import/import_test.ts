import assert from "node:assert/strict";
import fc from "fast-check";
import { hasErrors } from "../../lib/diagnostic.ts";
import { loadRulesToml } from "../document/parse_rules.ts";
import type { Rule } from "../rule_set/types.ts";
import { importHeaders } from "./headers.ts";
import { type ImportResult, UnreadableImportError } from "./import_result.ts";
import { importRedirects } from "./redirects.ts";
import { importNetlifyToml } from "./netlify_toml.ts";
import { importVercelJson } from "./vercel_json.ts";
import { importWrangler } from "./wrangler.ts";

/** Returns the rules without their IDs, each as a condition and an action. */
function pairsOf(result: ImportResult): [Rule["condition"], Rule["action"]][] {
  const { runtime, ruleSet, diagnostics } = loadRulesToml(result.toml);
  assert.ok(runtime !== undefined, JSON.stringify(diagnostics));
  assert.deepEqual(ruleSet, result.ruleSet);
  return result.ruleSet.rules.map((rule) => [rule.condition, rule.action]);
}

const exact = (value: string) => ({ path: { type: "exact", value } });
const glob = (value: string) => ({ path: { type: "glob", value } });

Deno.test("importRedirects() reads each kind of line", () => {
  const to = (target: string, more: object = { statusCode: 301, ifNoFile: true }) => ({
    type: "redirect",
    target,
    ...more,
  });
  const rows: readonly (readonly [line: string, ...rules: [object, object][]])[] = [
    ["/home / # comment", [exact("/home"), to("/")], [exact("/home/"), to("/")]],
    ["/a/ /a", [exact("/a/"), to("/a")]],
    ["/a /b 302!", [exact("/a"), to("/b", { statusCode: 302 })], [
      exact("/a/"),
      to("/b", { statusCode: 302 }),
    ]],
    ["/:y/:m /:m/:y", [glob("/{y}/{m}"), to("/{m}/{y}")], [glob("/{y}/{m}/"), to("/{m}/{y}")]],
    ["/n/* /b/:splat", [exact("/n"), to("/b/")], [glob("/n/{splat...}"), to("/b/{splat}")]],
    ["/s/ id=5 /x", [{ ...exact("/s/"), query: { id: "5" } }, to("/x")], [
      { ...exact("/s"), query: { id: "5" } },
      to("/x"),
    ]],
    ["/admin/* 200", [exact("/admin"), {
      type: "rewrite",
      target: "/admin/",
      ifNoFile: true,
    }], [glob("/admin/{splat...}"), {
      type: "rewrite",
      target: "/admin/{splat}",
      ifNoFile: true,
    }]],
    ["/ /cn 302 Country=cn,hk", [
      { ...exact("/"), geo: ["CN", "HK"] },
      to("/cn", { statusCode: 302 }),
    ]],
    ["https://old.example/* https://new.example/:splat 301!", [
      { ...glob("/{splat...}"), host: "old.example" },
      to("https://new.example/{splat}", { statusCode: 301 }),
    ]],
    ["/* /index.html 200", [
      { path: { type: "prefix", value: "/" } },
      { type: "rewrite", target: "/index.html", ifNoFile: true },
    ]],
    [
      "/api/ https://api.example/x 200!",
      ...["/api/", "/api"].map((path) =>
        [
          exact(path),
          { type: "rewrite", target: "https://api.example/x", external: true },
        ] as [object, object]
      ),
    ],
    [
      "/a{b}/:c/ /d/{e}/:c",
      ...["/", ""].map((end) =>
        [glob(`/a\\{b\\}/{c}${end}`), to("/d/%7Be%7D/{c}")] as [object, object]
      ),
    ],
  ];
  for (const [line, ...rules] of rows) {
    const result = importRedirects(line);
    assert.deepEqual(result.unsupported, [], line);
    assert.deepEqual(pairsOf(result), rules, line);
  }
});

Deno.test("importRedirects() uses Cloudflare's default status", () => {
  assert.deepEqual(pairsOf(importRedirects("/a /b", { flavor: "cloudflare" })), [
    [exact("/a"), { type: "redirect", target: "/b", statusCode: 302 }],
  ]);
});

Deno.test("importRedirects() names each line without an equivalent", () => {
  const text = [
    "# comment",
    "/store id=:id /blog/:id",
    "/he/* /il/:splat 302 Language=he",
    "/admin/* /admin/:splat 200! Role=admin",
    "/gone /404.html 404",
    "/a*b /c",
    "/x/*/y /c",
    "nothing",
    "/http http://api.example/ 200",
    "/evil //evil.example/",
    "/app/* /app/index.html 200",
    "/app/old /app/new",
    "/:any /other",
  ].join("\n");
  const { ruleSet, unsupported, notes, read, imported } = importRedirects(text);
  assert.deepEqual(
    unsupported.map(({ line, reason }) => `${line} ${reason}`),
    [
      `2 svc cannot capture the value of a query parameter: "id=:id"`,
      "3 svc does not support conditions on Language",
      "4 svc does not support conditions on Role",
      "5 A rule cannot set the 404 page: name the page 404.html, and svc serves it for all " +
      "paths without a response",
      `6 A * matches the rest of a path, but it is part of "a*b"`,
      "7 A target cannot use a * inside the path",
      "8 The line has no target",
      "9 Use an absolute https URL as the target of an external rewrite: it is an http URL",
      `10 Write the target as a path or an http(s) URL: it begins with "//"`,
      `12 The rewrite "redirect-11" above matches all of its requests`,
    ],
  );
  assert.deepEqual(notes.map(({ line, reason }) => `${line} ${reason}`), [
    `13 Applies before the rewrite "redirect-11-base", which matches some of the same requests`,
  ]);
  assert.deepEqual([read, imported, unsupported.length], [12, 2, 10]);
  assert.deepEqual(ruleSet.rules.map((rule) => rule.id), [
    "redirect-11-base",
    "redirect-11",
    "redirect-13",
    "redirect-13-slash",
  ]);
});

Deno.test("importHeaders() reads blocks, joins repeated names and removes headers", () => {
  const text = `# comment
/*
  X-Frame-Options: DENY
  Cache-Control: no-cache
  cache-control: no-store
  ! Server

/t/:id
  X-Json: {"id": "{x}"}
`;
  const result = importHeaders(text);
  assert.deepEqual(result.unsupported, []);
  const all = { path: { type: "prefix", value: "/" } };
  assert.deepEqual(pairsOf(result), [
    [all, { type: "remove_headers", headers: ["Server"] }],
    [all, {
      type: "set_headers",
      headers: { "X-Frame-Options": "DENY", "Cache-Control": "no-cache, no-store" },
    }],
    [{ any: [glob("/t/?*"), glob("/t/?*/")] }, {
      type: "set_headers",
      headers: { "X-Json": '{"id": "{{x}}"}' },
    }],
  ]);
});

Deno.test("importHeaders() inserts captures into values as Cloudflare does", () => {
  const result = importHeaders("/m/:title\n  X-Title: on :title, :other", { flavor: "cloudflare" });
  assert.deepEqual(pairsOf(result), [
    [glob("/m/{title}"), { type: "set_headers", headers: { "X-Title": "on {title}, :other" } }],
  ]);
});

Deno.test("importHeaders() names each line without an equivalent", () => {
  const text = "  X: 1\n/a\n  Basic-Auth: a:b\n  Bad\n  Content-Length: 5\n  X: 1\nb\n  Y: 2\n";
  const { ruleSet, unsupported } = importHeaders(text);
  assert.deepEqual(unsupported.map(({ line, reason }) => `${line} ${reason}`), [
    "1 The header belongs to no path",
    "3 Basic-Auth is not a response header: use a pipeline with a gate",
    "4 The line is not a header",
    `5 Do not set the header "Content-Length": the edge controls it`,
    `7 The path does not begin with "/"`,
    "8 The header belongs to no path",
  ]);
  assert.equal(ruleSet.rules.length, 1);
});

Deno.test("importVercelJson() reads redirects, rewrites and headers", () => {
  const result = importVercelJson(JSON.stringify({
    redirects: [
      { source: "/old/:path*", destination: "/new/:path*", permanent: true },
      {
        source: "/(.*)",
        destination: "https://www.e.example/$1",
        has: [{ type: "host", value: "e.example" }],
        statusCode: 302,
      },
    ],
    rewrites: [{
      source: "/api/:p+",
      destination: "https://api.e.example/:p",
      missing: [{ type: "header", key: "x", value: "1" }],
    }],
    headers: [{ source: "/(.*)", headers: [{ key: "X-A", value: "{b}" }] }],
  }));
  assert.deepEqual(result.unsupported, []);
  assert.deepEqual(pairsOf(result), [
    [exact("/old"), { type: "redirect", target: "/new", statusCode: 308 }],
    [{ ...glob("/old/{path...}"), any: [glob("/**?")] }, {
      type: "redirect",
      target: "/new/{path}",
      statusCode: 308,
    }],
    [{ ...glob("/{rest...}"), host: "e.example" }, {
      type: "redirect",
      target: "https://www.e.example/{rest}",
      statusCode: 302,
    }],
    [{ ...glob("/api/{p...}"), any: [glob("/**?")], not: { headers: { x: "1" } } }, {
      type: "rewrite",
      target: "https://api.e.example/{p}",
      external: true,
      ifNoFile: true,
    }],
    [{ path: { type: "prefix", value: "/" } }, {
      type: "set_headers",
      headers: { "X-A": "{{b}}" },
    }],
  ]);
});

Deno.test("importVercelJson() names each part without an equivalent, with its line", () => {
  const text = `{
  "cleanUrls": true,
  "redirects": [
    { "source": "/x/:id(\\\\d+)", "destination": "/y" },
    {
      "source": "/a", "destination": "/b",
      "has": [{ "type": "header", "key": "x" }]
    },
    { "source": "/b", "destination": "/c", "env": ["X"] }
  ],
  "crons": [{ "path": "/x" }]
}`;
  assert.deepEqual(
    importVercelJson(text).unsupported.map(({ line, reason }) => `${line} ${reason}`),
    [
      `4 The pattern ":id(\\d+)" has no equivalent in a glob`,
      "5 svc cannot test whether a header is present",
      `9 The field "env" has no equivalent`,
      "11 Set it in svc.toml: [[cron]] (docs/cron.md)",
    ],
  );
  assert.throws(() => importVercelJson("{"), UnreadableImportError);
  assert.throws(() => importVercelJson("[]"), /^UnreadableImportError: It is not a JSON object$/);
});

function runOrRefuse(run: (text: string) => ImportResult, text: string): ImportResult | undefined {
  try {
    return run(text);
  } catch (error) {
    if (error instanceof UnreadableImportError) return undefined;
    throw error;
  }
}

Deno.test("every importer turns any text into a set that passes validation", () => {
  const words = fc.constantFrom(
    "/a",
    "/*",
    "/:x",
    ":splat",
    "200",
    "301!",
    "https://e.example/",
    "\n",
    "  ",
    "X: ",
    "{y}",
    "Country=de",
    '"',
    "{",
    "}",
    "[",
    ":",
    "redirects",
    '{"redirects":[{"source":"/',
    '","destination":"/b"}]}',
    "\\",
    "((?!a/).*)",
    "(.*)",
    "! X",
    "X: :x\n",
    '{"headers":[{"source":"/(.*)","headers":[{"key":"Cache-Control","value":"s-maxage=6"}]}]}',
  );
  const text = fc.array(fc.oneof(words, fc.string({ maxLength: 3 })), { maxLength: 20 })
    .map((parts) => parts.join(""));
  fc.assert(fc.property(text, (source) => {
    const cloudflare = { flavor: "cloudflare" } as const;
    const importers = [
      importRedirects,
      importHeaders,
      importVercelJson,
      (text: string) => importRedirects(text, cloudflare),
      (text: string) => importHeaders(text, cloudflare),
    ];
    for (const run of importers) {
      const result = runOrRefuse(run, source);
      if (result === undefined) continue;
      assert.ok(!hasErrors(loadRulesToml(result.toml).diagnostics), source);
      assert.equal(result.read, result.imported + result.unsupported.length, source);
    }
  }));
});

Deno.test("importers read the settings for page URLs", () => {
  const wrangler = (text: string) => importWrangler(text);
  const rows: readonly (readonly [ImportResult, settings: object, reasons?: RegExp])[] = [
    [importVercelJson('{"cleanUrls": true, "trailingSlash": false}'), {
      cleanUrls: true,
      trailingSlash: "never",
    }],
    [importVercelJson('{"trailingSlash": true}'), { trailingSlash: "always" }],
    [importVercelJson('{"cleanUrls": "yes"}'), {}, /Use true or false/],
    [importNetlifyToml("[build.processing.html]\npretty_urls = false"), { cleanUrls: false }],
    [wrangler('[assets]\nhtml_handling = "force-trailing-slash"'), {
      trailingSlash: "always",
      cleanUrls: true,
    }],
    [wrangler('{ // a\n"assets": { "html_handling": "none", /* "x" */ }, }'), { cleanUrls: false }],
    [
      wrangler('{ "name": "// no comment", "assets": { "html_handling": "auto-trailing-slash" } }'),
      {
        trailingSlash: "auto",
        cleanUrls: true,
      },
    ],
    [
      wrangler('name = "a"\n[assets]\nhtml_handling = "nice"'),
      {},
      /must be one of auto-trailing-slash/,
    ],
    [wrangler('name = "a"'), {}],
  ];
  for (const [{ settings, imported, unsupported, read }, expected, reason] of rows) {
    assert.deepEqual(settings, expected);
    assert.equal(imported, Object.keys(expected).length === 0 ? 0 : imported);
    assert.equal(read, imported + unsupported.length);
    if (reason === undefined) assert.deepEqual(unsupported, []);
    else assert.match(unsupported[0]!.reason, reason);
  }
  assert.equal(wrangler('name = "a"\n[assets]\nhtml_handling = 1').unsupported[0]!.line, 3);
  assert.throws(() => wrangler("{"), /not JSON/);
  assert.throws(() => wrangler("= ="), { name: "UnreadableImportError" });
});
