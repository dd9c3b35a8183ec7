import assert from "node:assert/strict";
import { parseServerUrl, type UrlSources } from "./server_address.ts";

const sources: UrlSources = {
  variable: (name) => ({ PGPASSWORD: "from env" })[name],
  readFile: (path) => {
    if (path === "/secret") return "from file\n";
    if (path === "/ca.pem") return "a certificate";
    throw new Error(`No such file: ${path}`);
  },
};
const read = (url: string) => parseServerUrl(url, sources);

Deno.test("parseServerUrl() reads the server's address and the role", () => {
  assert.deepEqual(read("postgres://svc:p%40ss@127.0.0.1:6000/main"), {
    address: { endpoint: { transport: "tcp", hostname: "127.0.0.1", port: 6000 }, tls: undefined },
    login: { user: "svc", password: "p@ss", database: "main" },
  });
  assert.deepEqual(read("postgresql://svc@localhost/?host=/run/postgresql"), {
    address: {
      endpoint: { transport: "unix", path: "/run/postgresql/.s.PGSQL.5432" },
      tls: undefined,
    },
    login: { user: "svc", password: "from env", database: "postgres" },
  });
  assert.equal(read("postgres://svc@localhost/?passfile=/secret").login.password, "from file");
});

Deno.test("parseServerUrl() verifies certificates unless the server is on this machine", () => {
  const tls = (url: string) => read(url).address.tls;
  assert.deepEqual(tls("postgres://svc@db.test"), { caCerts: [], caFile: undefined });
  assert.deepEqual(tls("postgres://svc@db.test?sslmode=require"), {
    caCerts: [],
    caFile: undefined,
  });
  assert.deepEqual(tls("postgres://svc@db.test?sslrootcert=/ca.pem"), {
    caCerts: ["a certificate"],
    caFile: "/ca.pem",
  });
  assert.equal(tls("postgres://svc@db.test?sslmode=disable"), undefined);
  assert.equal(tls("postgres://svc@[::1]"), undefined);
});

Deno.test("parseServerUrl() reports problems, but never the password", () => {
  const rows: readonly (readonly [string, RegExp])[] = [
    ["mysql://svc:hidden@db.test", /must look like postgres:/],
    ["nothing", /must look like postgres:/],
    ["postgres://:hidden@db.test", /has no role/],
    ["postgres://svc:hidden@db.test?sslmode=prefer", /must be disable, require/],
    ["postgres://svc:hidden@db.test?options=x", /unknown parameter "options"/],
    ["postgres://svc@db.test?passfile=/gone", /Cannot read the PostgreSQL password file/],
    ["postgres://svc@db.test?sslrootcert=/gone", /Cannot read the PostgreSQL server's certificate/],
    ["postgres://svc:hidden@localhost/?host=relative", /folder of a Unix socket/],
  ];
  for (const [url, message] of rows) {
    assert.throws(() => read(url), (error: Error) => {
      assert.match(error.message, message);
      return !error.message.includes("hidden");
    });
  }
});
