import assert from "node:assert/strict";
import * as fc from "fast-check";
import {
  completeSettings,
  DEFAULTS,
  foundOptions,
  isAction,
  printSettings,
  readSettings,
  type Setting,
  SETTINGS,
  variableOf,
} from "./mod.ts";

const absolute = (path: string) => `/cwd/${path}`;

function read({ flags = {}, env = {}, file, isPrivate = true }: {
  readonly flags?: Record<string, unknown>;
  readonly env?: Record<string, string>;
  readonly file?: string;
  readonly isPrivate?: boolean;
}) {
  const given = file === undefined
    ? undefined
    : { path: "/etc/svc/serve.toml", source: file, isPrivate };
  return readSettings({ flags, env, file: given, absolute });
}

Deno.test("a flag overrides a variable, which overrides the file, which overrides the default", () => {
  const sources = {
    file: 'port = 1\nhost = "::1"\nkv = "records"\nbuilds = "off"',
    env: { SVC_SERVE_PORT: "2", SVC_SERVE_HOST: "0.0.0.0", SVC_SERVE_KEYS_FILE: "keys.json" },
    flags: { port: 3 },
  };
  const settings = read(sources);
  assert.deepEqual([settings.inFile, settings.others], [[], []]);
  assert.deepEqual(foundOptions(settings), {
    ...{ port: 3, host: "0.0.0.0", keysFile: "/cwd/keys.json", kv: "/etc/svc/records" },
    builds: { here: "off" },
  });
  assert.equal(settings.found.get("port")?.from, "--port");
  assert.equal(settings.found.get("host")?.from, "SVC_SERVE_HOST");
  assert.equal(settings.found.get("builds")?.from, "/etc/svc/serve.toml:4");
  const complete = completeSettings({ dataDir: "/data", ...foundOptions(settings) });
  assert.equal(complete.port, 3);
  assert.deepEqual(complete.builds, { ...DEFAULTS.builds, here: "off" });
});

Deno.test("readSettings() reports all problems in a file with their lines", () => {
  const { inFile } = read({
    file: [
      ...["portt = 80", 'port = "80"', "frobnicate = 1", "replace = true", "head-timeout = 0"],
      ...["trust-proxy = [1]", 'build-memory-mb = "4 GiB"', 'smtp-url = "smtp://u:p@mail"'],
    ].join("\n"),
    isPrivate: false,
  });
  const rows = inFile.map(({ code, path, position, hint }) => [position?.line, path, code, hint]);
  assert.deepEqual(rows, [
    [1, "portt", "unknown_key", 'Did you mean "port"?'],
    [2, "port", "wrong_type", undefined],
    [3, "frobnicate", "unknown_key", undefined],
    [4, "replace", "unknown_key", undefined],
    [5, "head-timeout", "invalid_value", undefined],
    [6, "trust-proxy", "wrong_type", undefined],
    [7, "build-memory-mb", "invalid_value", undefined],
    [8, "smtp-url", "open_secret", undefined],
  ]);
});

Deno.test("readSettings() checks each URL in a list in a file", () => {
  const { found, inFile } = read({ file: 'otlp = ["http://localhost:4318", "ftp://x"]' });
  assert.deepEqual(inFile.map(({ path, code }) => [path, code]), [["otlp", "invalid_value"]]);
  assert.equal(found.size, 0);
});

Deno.test("readSettings() names variables and settings that cannot be used", () => {
  const cases: readonly (readonly [Parameters<typeof read>[0], RegExp])[] = [
    [{ env: { SVC_SERVE_PROT: "1" } }, /SVC_SERVE_PROT: did you mean SVC_SERVE_PORT\?/],
    [{ env: { SVC_SERVE_PORT: "x" } }, /^SVC_SERVE_PORT: Must be a whole number from 0 to 65535$/],
    [{ flags: { "tls-cert": "a" } }, /^Set --tls-key together with --tls-cert$/],
    [{ file: 'acme-dns-alias = "a.b"' }, /^Set --acme-dns together with \/etc.*:1$/],
    [{ flags: { "dns-name": "ns.a.example" } }, /^Set --dns-port together with --dns-name$/],
    [{ flags: { keep: "3" } }, /^Set --backup together with --keep$/],
    [
      { env: { SVC_SERVE_BACKUP_EVERY: "6h" } },
      /^Set --backup together with SVC_SERVE_BACKUP_EVERY$/,
    ],
    [{ file: 'backup-recipient = ["age1x"]' }, /^Set --backup together with \/etc.*:1$/],
    [{ env: { SVC_SERVE_OTLP: "localhost:4318" } }, /^SVC_SERVE_OTLP: Must be an http or https/],
    [
      { env: { SVC_OTLP_HEADERS: "secret" } },
      /^SVC_OTLP_HEADERS: Must be name=value pairs separated by commas/,
    ],
    [{ env: { SVC_OTLP_HEADERS: "a=secret" } }, /^Set --otlp together with SVC_OTLP_HEADERS$/],
    [{ flags: { "mail-from": "a@b.c" } }, /^Set SVC_SMTP_URL or --smtp-url together with/],
    [
      { flags: { postgres: "postgres://u:secret@db" } },
      /in SVC_POSTGRES_URL instead of --postgres/,
    ],
    [{ flags: { postgres: "mysql://u:secret@db" } }, /^--postgres: Must be local, or a URL/],
  ];
  for (const [sources, wanted] of cases) {
    const { others } = read(sources);
    assert.equal(others.length, 1);
    assert.match(others[0]!, wanted);
    assert.ok(!others[0]!.includes("secret"));
  }
});

/** Generates allowed values for a setting, in the form of flags. */
function valuesOf({ name, kind, secret }: Setting): fc.Arbitrary<unknown> {
  const [type] = kind.types;
  const texts: Readonly<Record<string, readonly string[]>> = {
    "backup-every": ["30m", "24h", "7d"],
    "postgres": ["local", "postgres://svc@db/x"],
    "public-url": ["https://svc.example"],
    "node-url": ["http://10.0.0.1:8787"],
    "bot-api": ["http://bot.example"],
    "dns-country": ["de", "SG"],
    "dns-name": ["ns.a.example", "b"],
  };
  if (kind.choices !== undefined) return fc.constantFrom(...kind.choices);
  if (type === "boolean") return fc.constant(true);
  if (kind.item !== undefined) {
    const { [name]: items = ["http://localhost:4318", "https://a.example/x?y=1,2"] } = texts;
    return fc.array(fc.constantFrom(...items), { minLength: 1 });
  }
  if (type === "list") {
    return fc.array(fc.stringMatching(/^\/[a-z"\\0-9:]{1,9}$/), { minLength: 1 });
  }
  if (kind.isPath === true) return fc.stringMatching(/^\/[a-z"\\0-9]{1,9}$/);
  if (texts[name] !== undefined) return fc.constantFrom(...texts[name]).map(kind.parse);
  const parsed = (text: string) => secret === undefined ? kind.parse(text) : text;
  return type === "number" || kind.placeholder === "<size>"
    ? fc.constantFrom("60", "1000", "60MiB", "64MB").filter((text) => {
      try {
        kind.parse(text);
        return true;
      } catch {
        return false;
      }
    }).map(parsed)
    : fc.constantFrom("a.example", "b").map(parsed);
}

Deno.test("a printed file results in the same settings and contains no secrets", () => {
  const rows = SETTINGS.filter((setting) => !isAction(setting) && setting.flagless !== true);
  const flags = fc.record(
    Object.fromEntries(rows.map((setting) => [setting.name, valuesOf(setting)])),
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(flags, (given) => {
      const before = read({ flags: given });
      // Other tests cover conflicts between settings.
      if (before.others.length > 0) return;
      const file = printSettings(before);
      const after = read({ file, env: { SVC_SMTP_URL: "smtp://s3cret@mail", SVC_BOT_TOKEN: "t" } });
      assert.deepEqual([after.inFile, after.others], [[], []]);
      for (const { name, secret } of rows) {
        if (secret === true) continue;
        assert.deepEqual(after.found.get(name)?.value, before.found.get(name)?.value, name);
      }
      assert.ok(!printSettings(after).includes("s3cret"));
    }),
    { numRuns: 100 },
  );
});

Deno.test("the table contains each setting, option and variable once, and sixteen are common", () => {
  for (
    const names of [
      SETTINGS.map(({ name }) => name),
      SETTINGS.map(variableOf),
      SETTINGS.flatMap(({ option }) => option ?? []),
    ]
  ) assert.equal(new Set(names).size, names.length);
  assert.equal(SETTINGS.filter(({ common }) => common).length, 16);
});
