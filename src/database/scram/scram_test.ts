import assert from "node:assert/strict";
import { formatVerifier, makeVerifier, mockVerifier, parseVerifier } from "./verifier.ts";
import { ScramClientExchange } from "./client_exchange.ts";
import { ScramError } from "./messages.ts";
import { ScramServerExchange } from "./server_exchange.ts";

const bytes = (base64: string) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

/** The example from RFC 7677, section 3. */
const SALT = bytes("W22ZaJ0SNY7soEsUEjb6gQ==");
const CLIENT_FIRST = "n,,n=user,r=rOprNGfwEbeRWgbNEkqO";
const SERVER_NONCE = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
const SERVER_FIRST =
  "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
const CLIENT_FINAL = "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0," +
  "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
const SERVER_FINAL = "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";

const verifier = makeVerifier("pencil", SALT);

Deno.test("ScramServerExchange reproduces the example from RFC 7677", () => {
  const exchange = new ScramServerExchange(verifier, SERVER_NONCE);
  assert.equal(exchange.first(CLIENT_FIRST), SERVER_FIRST);
  assert.deepEqual(exchange.final(CLIENT_FINAL), { type: "accepted", serverFinal: SERVER_FINAL });
});

Deno.test("ScramServerExchange refuses a wrong password, and messages from other exchanges", () => {
  const start = (first = CLIENT_FIRST) => {
    const exchange = new ScramServerExchange(makeVerifier("pen", SALT), SERVER_NONCE);
    exchange.first(first);
    return exchange;
  };
  assert.deepEqual(start().final(CLIENT_FINAL), { type: "refused" });
  const malformed: readonly (readonly [string, string])[] = [
    ["another nonce", CLIENT_FINAL.replace("r=rOpr", "r=xOpr")],
    ["another binding", CLIENT_FINAL.replace("c=biws", "c=eSws")],
    ["no proof", CLIENT_FINAL.replace(/,p=.*/, "")],
    ["a short proof", CLIENT_FINAL.replace(/p=.*/, "p=dHzb")],
    ["nothing", ""],
  ];
  for (const [name, message] of malformed) {
    assert.throws(() => start().final(message), ScramError, name);
  }
  for (
    const first of ["", "n,,", "p=tls-unique,,n=,r=abc", "n,,n=u,r=", `n,,n=u,r=${"x".repeat(300)}`]
  ) {
    assert.throws(() => start(first), ScramError, first);
  }
  assert.throws(() => new ScramServerExchange(verifier, "n").final(CLIENT_FINAL), ScramError);
});

Deno.test("ScramClientExchange and ScramServerExchange authenticate only each other", () => {
  for (const password of ["pencil", "grün,=\u{1F512}"]) {
    const server = new ScramServerExchange(makeVerifier(password, SALT), "s".repeat(24));
    const client = new ScramClientExchange(password, "c".repeat(24));
    const outcome = server.final(client.final(server.first(client.first)));
    assert.equal(outcome.type, "accepted");
    if (outcome.type === "accepted") client.check(outcome.serverFinal);
    assert.throws(() => client.check(SERVER_FINAL), ScramError);
    assert.throws(() => client.check(""), ScramError);
  }
  const client = new ScramClientExchange("pencil", "c".repeat(24));
  for (const first of ["", `r=other,s=YQ==,i=4096`, `r=${"c".repeat(24)}x,s=YQ==,i=9999999`]) {
    assert.throws(() => client.final(first), ScramError, first);
  }
});

Deno.test("formatVerifier() and parseVerifier() use PostgreSQL's text format", () => {
  const text = formatVerifier(verifier);
  assert.match(text, /^SCRAM-SHA-256\$4096:W22ZaJ0SNY7soEsUEjb6gQ==\$/);
  assert.deepEqual(parseVerifier(text), verifier);
  for (const other of ["", "md5abc", text.slice(0, -1), `${text} `, text.replace("4096", "0")]) {
    assert.equal(parseVerifier(other), undefined, other);
  }
});

Deno.test("mockVerifier() derives a stable salt from the role and the key", () => {
  const key = new Uint8Array(32);
  assert.deepEqual(mockVerifier("a", key), mockVerifier("a", key));
  assert.notDeepEqual(mockVerifier("a", key).salt, mockVerifier("b", key).salt);
  assert.notDeepEqual(
    mockVerifier("a", key).salt,
    mockVerifier("a", new Uint8Array(32).fill(1)).salt,
  );
  assert.equal(mockVerifier("a", key).salt.byteLength, verifier.salt.byteLength);
  assert.equal(mockVerifier("a", key).iterations, verifier.iterations);
});
