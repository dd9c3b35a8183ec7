import assert from "node:assert/strict";
import fc from "fast-check";
import { checkOnce, type Header, type HeaderList, isChecked } from "../messages/header_list.ts";
import { appendFields, fieldWriter, writeFields } from "./response_fields.ts";
import { stopServer } from "../../lib/stop_server.ts";

const FIELDS: Header[] = [
  ["content-type", "text/plain"],
  ["set-cookie", "a=1"],
  ["set-cookie", "b=2"],
  ["x-latin", "caf\u00e9"],
];
const LAST: Header = ["x-svc-request-id", "1"];

const copy = (fields: readonly Header[]): Header[] => fields.map(([name, value]) => [name, value]);

Deno.test("written and appended fields read back the same, for any body", () => {
  for (const body of ["text", new Uint8Array(1), new ReadableStream(), null]) {
    for (const status of [200, 404]) {
      const appended = new Response(null, { status });
      appendFields(appended, FIELDS, LAST);
      const unchecked = new Response(null, { status });
      writeFields(unchecked, FIELDS, LAST);
      assert.deepEqual([...unchecked.headers], [...appended.headers]);
      const written = new Response(body, { status });
      writeFields(written, checkOnce(copy(FIELDS)), LAST);
      assert.deepEqual([...written.headers], [...appended.headers]);
      assert.deepEqual(written.headers.get("content-type"), "text/plain");
      assert.deepEqual(written.headers.getSetCookie(), ["a=1", "b=2"]);
    }
  }
});

/** Starts a server whose responses all have these header fields. */
const serve = (fields: HeaderList) =>
  Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => {
    const response = new Response("body");
    writeFields(response, fields, LAST);
    return response;
  });

Deno.test("a control character in a value becomes a space, and causes no crash", async () => {
  const controls = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))
    .filter((char) => /[^\0\t\n\r\x20-\x7e]/.test(char));
  const server = serve([["x-control", `a${controls.join("")}b`]]);
  const answer = await fetch(`http://127.0.0.1:${server.addr.port}/`);
  assert.equal(await answer.text(), "body");
  assert.equal(answer.headers.get("x-control"), `a${" ".repeat(controls.length)}b`);
  assert.equal(controls.length, 29);
  await stopServer(server);
});

Deno.test("fields reach the client over a socket exactly as written", async () => {
  const fields = checkOnce(copy(FIELDS));
  const server = serve(fields);
  const { headers } = await fetch(`http://127.0.0.1:${server.addr.port}/`).then(async (answer) => {
    assert.deepEqual(await answer.text(), "body");
    return answer;
  });
  assert.deepEqual(headers.getSetCookie(), ["a=1", "b=2"]);
  assert.deepEqual(headers.get("content-type"), "text/plain");
  assert.deepEqual(headers.get("x-latin"), "caf\u00e9");
  assert.deepEqual(headers.get("x-svc-request-id"), "1");
  await stopServer(server);
});

Deno.test("an invalid list is refused, whether checked or not", () => {
  const strange: HeaderList[] = [
    [["x-break", "a\r\nset-cookie: stolen=1"]],
    [["x-null", "a\0b"]],
    [["x name", "a"]],
    [["x-wide", "\u{1f600}"]],
  ];
  for (const fields of strange) {
    assert(!isChecked(checkOnce(fields)));
    assert.throws(() => writeFields(new Response(), fields, LAST), TypeError);
  }
  assert(!isChecked(FIELDS));
});

Deno.test("writeFields() leaves the values and names that Headers would change to Headers", () => {
  for (const field of [["x-space", " a "], ["X-Upper", "a"]] as Header[]) {
    const fields = checkOnce([field]);
    assert(!isChecked(fields));
    const response = new Response();
    writeFields(response, fields, LAST);
    assert.deepEqual(response.headers.get(field[0]), "a");
  }
});

Deno.test("a copy of a checked list is not checked", () => {
  const fields = checkOnce(copy(FIELDS));
  assert(isChecked(fields));
  assert(!isChecked([...fields]));
  assert(!isChecked(fields.filter(() => true)));
});

Deno.test("changing the fields of a response does not change a shared list", () => {
  const fields = checkOnce(copy(FIELDS));
  const response = new Response();
  writeFields(response, fields, LAST);
  response.headers.append("x-more", "1");
  assert.throws(() => response.headers.set("content-type", "text/html"), TypeError);
  assert.deepEqual(fields, FIELDS);
});

Deno.test("fields are appended if the runtime's list is missing", () => {
  const response = new Response("text");
  fieldWriter(undefined)(response, checkOnce(copy(FIELDS)), LAST);
  assert.deepEqual(response.headers.get("content-type"), "text/plain");
  assert.deepEqual(response.headers.getSetCookie(), ["a=1", "b=2"]);
});

const NASTY = ["\r", "\n", "\0", "\x7f", "\x01", "\t", " ", ":", "\u{e9}", "\u{100}", "\u{1f600}"];
const anyText = fc.array(fc.oneof(fc.constantFrom("a", "A", "-", ...NASTY)), { maxLength: 6 })
  .map((parts) => parts.join(""));
const anyField = fc.tuple(
  fc.oneof(fc.constantFrom("x-a", "set-cookie", "content-type"), anyText),
  anyText,
);

/** Returns the message for the client, or the reason that nothing is sent. */
function outcome(write: typeof writeFields, fields: HeaderList): unknown {
  const response = new Response("text");
  try {
    write(response, fields, LAST);
  } catch (error) {
    return error instanceof TypeError ? "refused" : error;
  }
  return [...response.headers];
}

Deno.test("fields written directly match appended ones, and are refused in the same cases", () => {
  fc.assert(
    fc.property(fc.array(anyField, { maxLength: 4 }), (fields) => {
      const appended = outcome(appendFields, fields);
      assert.deepEqual(outcome(writeFields, fields), appended);
      assert.deepEqual(outcome(writeFields, checkOnce(copy(fields))), appended);
    }),
    { numRuns: 2000 },
  );
});
