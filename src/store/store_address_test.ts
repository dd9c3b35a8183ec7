import assert from "node:assert/strict";
import {
  type AddressSources,
  describeStoreUrl,
  findInPassfile,
  isStoreUrl,
  parseStoreUrl,
} from "./store_address.ts";

const sources = (
  variables: Record<string, string> = {},
  files: Record<string, string> = {},
): AddressSources => ({
  variable: (name) => variables[name],
  readFile(path) {
    const text = files[path];
    if (text === undefined) throw new Error("No such file");
    return text;
  },
});

Deno.test("parseStoreUrl() accepts several hosts and gets the password from a variable", () => {
  assert.deepEqual(
    parseStoreUrl("postgres://svc@pg1,pg2:5433,[fd00::3]/records", sources({ PGPASSWORD: "p" })),
    {
      hosts: [
        { hostname: "pg1", port: 5432 },
        { hostname: "pg2", port: 5433 },
        { hostname: "fd00::3", port: 5432 },
      ],
      socket: undefined,
      tls: { caCerts: [] },
      user: "svc",
      database: "records",
      password: "p",
    },
  );
});

Deno.test("parseStoreUrl() disables TLS only for this machine, or if requested", () => {
  const tls = (url: string) => parseStoreUrl(url, sources({}, { "/ca": "PEM" })).tls;
  assert.equal(tls("postgres://a@localhost/b"), undefined);
  assert.equal(tls("postgres://a@127.0.0.1,[::1]/b"), undefined);
  assert.deepEqual(tls("postgres://a@127.0.0.1,pg2/b"), { caCerts: [] });
  assert.equal(tls("postgres://a@pg1/b?sslmode=disable"), undefined);
  assert.deepEqual(tls("postgres://a@localhost/b?sslmode=require&sslrootcert=/ca"), {
    caCerts: ["PEM"],
  });
});

Deno.test("parseStoreUrl() defaults to the role's database and supports Unix sockets", () => {
  const address = parseStoreUrl("postgresql://a%40b@?host=/run/pg", sources());
  assert.deepEqual([address.user, address.database], ["a@b", "a@b"]);
  assert.equal(address.socket, "/run/pg/.s.PGSQL.5432");
  assert.equal(parseStoreUrl("postgres://h/d", sources({ PGUSER: "u" })).user, "u");
});

Deno.test("parseStoreUrl() prefers SVC_KV_PASSWORD and reads the PGPASSFILE file", () => {
  const variables = { PGPASSFILE: "/pass" };
  const files = { "/pass": "other:*:*:*:no\npg1:5432:*:svc:it\\:is\n" };
  const passwordOf = (given: Record<string, string>) =>
    parseStoreUrl("postgres://svc@pg1/d", sources({ ...variables, ...given }, files)).password;
  assert.equal(passwordOf({}), "it:is");
  assert.equal(passwordOf({ PGPASSWORD: "pg" }), "pg");
  assert.equal(passwordOf({ PGPASSWORD: "pg", SVC_KV_PASSWORD: "kv" }), "kv");
  const where = { hosts: [], user: "svc", database: "d" };
  assert.equal(findInPassfile("only the password\n", where), "only the password");
  assert.equal(findInPassfile("elsewhere:*:*:*:x\n", where), undefined);
});

const REFUSED: readonly (readonly [url: string, says: RegExp])[] = [
  ["postgres://svc:hunter2@pg1/d", /Leave the password out .* SVC_KV_PASSWORD/],
  ["postgres://pg1/d", /has no role/],
  ["postgres://svc@/d", /has no host/],
  ["postgres://svc@pg1:x/d", /"pg1:x" where host or host:port is expected/],
  ["postgres://svc@pg1,/d", /"" where host or host:port is expected/],
  ["postgres://svc@pg1:70000/d", /"pg1:70000"/],
  ["postgres://svc@pg1/d?sslmode=prefer", /must be disable, require/],
  ["postgres://svc@pg1/d?sslrootcert=/none", /Cannot read the certificate .* in \/none: No such/],
  ["postgres://svc@pg1/d?pool=3", /unknown parameter "pool"/],
  ["postgres://svc@pg1/d?host=run", /must be the folder of a Unix socket/],
  ["postgres://s%vc@pg1/d", /a % that is not followed/],
  ["postgres:svc", /must look like/],
];

for (const [url, says] of REFUSED) {
  Deno.test(`parseStoreUrl() refuses ${describeStoreUrl(url)}: ${says.source}`, () => {
    assert.throws(() => parseStoreUrl(url, sources()), (error) => {
      assert.ok(error instanceof TypeError);
      assert.match(error.message, says);
      assert.ok(!error.message.includes("hunter2"));
      return true;
    });
  });
}

Deno.test("describeStoreUrl() shows neither the role nor a password", () => {
  assert.equal(describeStoreUrl("postgres://a:b@c@h1,h2/d?passfile=/x"), "postgres://h1,h2/d");
  assert.deepEqual(["postgres://x", "PostgreSQL://x", "/a/b", "https://x"].map(isStoreUrl), [
    true,
    true,
    false,
    false,
  ]);
});
