import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestFiles, withTestProject } from "./_test_project.ts";
import { BuildError } from "./build_error.ts";
import { assembleProject } from "./pack_project.ts";
import { findSecret, isConfiguration } from "../lib/private_files.ts";

const marker = (kind: string, end = "BEGIN") => `-----${end} ${kind}-----`;
const key = (kind: string) => `${marker(kind)}\nMIIEvQIBADANBgkqhkiG9w0B\n${marker(kind, "END")}\n`;
const LFS = `version https://git-lfs.github.com/spec/v1\noid sha256:${
  "a".repeat(64)
}\nsize 9000000\n`;

/** Files that must be rejected. `what` matches the description of the secret. */
const SECRETS: Readonly<Record<string, readonly [text: string, what: RegExp]>> = {
  "key.pem": [key("PRIVATE KEY"), /private key/],
  "deep/tls/server.key": [key("EC PRIVATE KEY"), /private key/],
  "both.crt": [`${key("CERTIFICATE")}${key("RSA PRIVATE KEY")}`, /private key/],
  "key.txt": [key("OPENSSH PRIVATE KEY"), /private key/],
  "pgp.asc": [key("PGP PRIVATE KEY BLOCK"), /private key/],
  "id_rsa": ["anything", /SSH key/],
  "id_ed25519": ["anything", /SSH key/],
  "putty.ppk": ["PuTTY-User-Key-File-3: ssh-ed25519", /SSH key/],
  "secret.yaml": [`data:\n  tls.key: |\n    ${key("PRIVATE KEY")}`, /private key/],
  "key.der": ["\x30\x52\x02\x01\x01\x30\x10", /private key/],
  "service-account.json": [
    JSON.stringify({ type: "service_account", private_key: key("PRIVATE KEY") }),
    /service account/,
  ],
  "credentials.json": [
    JSON.stringify({ installed: { client_secret: "GOCSPX-abcdefgh" } }),
    /OAuth client/,
  ],
  "jwk.json": [JSON.stringify({ kty: "EC", d: "a".repeat(43) }), /private key/],
  "store.p12": ["x", /keystore/],
  "app.keystore": ["x", /keystore/],
  "terraform.tfstate": ["{}", /Terraform/],
  "infra/terraform.tfstate.backup": ["{}", /Terraform/],
  "prod.tfvars": ["a = 1", /Terraform/],
  "dump.sql": ["create table a();", /database dump/],
  "prod_backup_2026-01-01.sql.gz": ["x", /database dump/],
  "users.sql": ["INSERT INTO users VALUES (1, 'ada');", /database dump/],
  "shop.sql": ["--\n-- PostgreSQL database dump\n--\n", /database dump/],
  "shop.dump": ["PGDMP\x01\x0e", /database dump/],
  "production.env": ["A=1", /variables/],
  "_netrc": ["machine a", /passwords/],
  "kubeconfig": ["apiVersion: v1", /Kubernetes/],
  "cluster.yaml": ["apiVersion: v1\nkind: Config\nusers:\n- user:\n    token: abc", /Kubernetes/],
  "video.mp4": [LFS, /Git LFS pointer/],
};

/** Files that look similar but are public. */
const HARMLESS: TestFiles = {
  "cert.pem": key("CERTIFICATE"),
  "key.pub": "ssh-ed25519 AAAA",
  "keys.html": `<pre>\n${key("PRIVATE KEY")}</pre>`,
  "guide.md": key("PRIVATE KEY"),
  "jwks.json": JSON.stringify({ keys: [{ kty: "EC", x: "a".repeat(43), y: "b".repeat(43) }] }),
  "strings.json": JSON.stringify({ client_secret: "Secret" }),
  "talk.key": "PK\x03\x04",
  "openapi.yaml": "openapi: 3.1.0\ninfo:\n  title: token",
  "tiny.txt": "version 1",
};

/** The usual public exponent of RSA. */
const E = new Uint8Array([1, 0, 1]);

async function assembled(files: TestFiles, svcignore?: string) {
  const result: { paths: string[]; error: BuildError | undefined; said: string[] } = {
    paths: [],
    error: undefined,
    said: [],
  };
  const all = svcignore === undefined ? files : { ...files, ".svcignore": svcignore };
  await withTestProject(all, async ({ host, project, said }) => {
    try {
      const built = await assembleProject(host, { directory: project, config: undefined });
      result.paths = built.files.map(({ path }) => path);
    } catch (error) {
      if (!(error instanceof BuildError)) throw error;
      result.error = error;
    }
    result.said = said;
  });
  return result;
}

Deno.test("assembleProject() refuses every file that looks like a secret, and lists all of them", async () => {
  const files = Object.fromEntries(Object.entries(SECRETS).map(([path, [text]]) => [path, text]));
  const { error } = await assembled({ "index.html": "", ...HARMLESS, ...files });
  assert.equal(error?.code, "output_invalid");
  const lines = error.message.split("\n").slice(1);
  for (const [path, [, what]] of Object.entries(SECRETS)) {
    const line = lines.find((each) => each.startsWith(`${path}: `));
    assert.match(line ?? "", what, path);
  }
  assert.equal(lines.length, Object.keys(SECRETS).length, lines.join("\n"));
  assert.equal(
    error.facts.hint,
    'Delete the file, or add "/_netrc" to .svcignore to skip it. ' +
      'To deploy it anyway, add "!/_netrc" to .svcignore',
  );
});

Deno.test("assembleProject() deploys files that look like secrets if .svcignore lists them", async () => {
  const files = {
    "index.html": "",
    "key.pem": SECRETS["key.pem"]![0],
    "a/b.pem": key("PRIVATE KEY"),
  };
  const root = await assembled(files, "!/key.pem\n!a/*.pem\n");
  assert.deepEqual(root.paths, ["a/b.pem", "index.html", "key.pem"]);
  const below = await assembled({ ...files, "a/.svcignore": "!b.pem\n" }, "/key.pem\n");
  assert.deepEqual(below.paths, ["a/b.pem", "index.html"]);
});

Deno.test("assembleProject() refuses secrets in build output, too", async () => {
  const files = { "dist/index.html": "", "dist/key.pem": key("PRIVATE KEY"), "dist/.npmrc": "a=1" };
  const { error } = await assembled(files);
  assert.match(error?.message ?? "", /^dist\/key\.pem: Looks like a private key$/m);
  assert.match(error?.facts.hint ?? "", /^Remove the file from the build output/);
  const token = { ...files, "dist/.npmrc": "//npm.example/:_authToken=abc" };
  const listed = await assembled(token, "!dist/key.pem\n");
  assert.match(
    listed.error?.message ?? "",
    /^dist\/\.npmrc: Looks like a file with package registry tokens/m,
  );
  assert.equal(listed.error?.message.includes("key.pem"), false);
});

Deno.test("assembleProject() omits configuration in a project's root folder, and reports it", async () => {
  const files = {
    "index.html": "",
    "compose.yaml": "services: {}",
    "netlify.toml": "",
    "package.json": "{}",
    "db/schema.sql": "create table a();",
    "assets/package.json": "{}",
  };
  const { paths, said } = await assembled(files);
  assert.deepEqual(paths, ["assets/package.json", "index.html"]);
  assert.ok(
    said.includes(
      "build info Skipped compose.yaml, db/schema.sql, netlify.toml and 1 more: hosting or " +
        'build configuration. To deploy a file anyway, add "!/compose.yaml" to .svcignore',
    ),
    said.join("\n"),
  );
  const listed = await assembled(files, "!compose.yaml\n!*.sql");
  assert.deepEqual(listed.paths, [
    "assets/package.json",
    "compose.yaml",
    "db/schema.sql",
    "index.html",
  ]);
  assert.equal((await assembled({ "package.json": "{}" })).error?.code, "output_missing");
});

Deno.test("assembleProject() publishes configuration that a build writes to its output", async () => {
  const files = { "dist/index.html": "", "dist/compose.yaml": "services: {}" };
  assert.deepEqual((await assembled(files)).paths, ["compose.yaml", "index.html"]);
});

Deno.test("assembleProject() refuses a private key in binary form", async () => {
  await withTestProject({ "index.html": "" }, async ({ host, project }) => {
    const pair = await crypto.subtle.generateKey(
      { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 2048, publicExponent: E },
      true,
      ["sign", "verify"],
    );
    const options = { directory: project, config: undefined };
    const write = async (key: CryptoKey, format: "pkcs8" | "spki") =>
      await Deno.writeFile(
        join(project, "tls.der"),
        new Uint8Array(await crypto.subtle.exportKey(format, key)),
      );
    await write(pair.publicKey, "spki");
    assert.equal((await assembleProject(host, options)).files.length, 2);
    await write(pair.privateKey, "pkcs8");
    await assert.rejects(assembleProject(host, options), /tls\.der: Looks like a private key/);
  });
});

Deno.test("isConfiguration() recognizes hosts' files anywhere and build files at the top level", () => {
  const rows: Readonly<Record<string, boolean>> = {
    "docker-compose.prod.yml": true,
    "a/Dockerfile": true,
    "infra/main.tf": true,
    "wrangler.jsonc": true,
    "vite.config.ts": true,
    "tsconfig.app.json": true,
    "src/tsconfig.json": false,
    "tailwind.config.js": false,
    "composers.yaml": false,
    "data.json": false,
    "robots.txt": false,
  };
  for (const [path, expected] of Object.entries(rows)) {
    assert.equal(isConfiguration(path), expected, path);
  }
});

Deno.test("assembleProject() does not read link targets outside the project", async () => {
  await withTestProject({ "index.html": "", "x.pem": "-> /etc/hostname" }, async (given) => {
    const options = { directory: given.project, config: undefined };
    await assert.rejects(assembleProject(given.host, options), /leaves the output directory/);
    await Deno.remove(join(given.project, "x.pem"));
  });
});

Deno.test("findSecret() finds rows and credentials on indented lines, but not in names and words", () => {
  const secretOf = (path: string, text: string) =>
    findSecret({ path, size: text.length, head: (bytes) => text.slice(0, bytes) });
  for (const rows of ["INSERT INTO a VALUES (1);", "COPY public.a (b) FROM stdin;"]) {
    assert.equal(secretOf("a.sql", `\n\n  ${rows}\n`), "a database dump", rows);
  }
  assert.equal(secretOf("a.sql", "CREATE TABLE a (); -- INSERT INTO\n"), undefined);
  const config = "apiVersion: v1\n  kind: Config\n  token: x\n";
  assert.equal(secretOf("a.yaml", config), "credentials of a Kubernetes cluster");
});
