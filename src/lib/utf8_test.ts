import assert from "node:assert/strict";
import fc from "fast-check";
import { decodeFile, decodeUtf8 } from "./utf8.ts";

const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

Deno.test("decodeUtf8() reports the position of the first byte that is not UTF-8", () => {
  assert.deepEqual(decodeUtf8(latin1('path = "/a"\ndeny = "/caf\xe9/"\n')), {
    ok: false,
    fault: { offset: 24, byte: 0xe9, position: { line: 2, column: 13 } },
  });
});

Deno.test("decodeUtf8() counts columns in characters, after any preceding characters", () => {
  const bytes = new Uint8Array([...new TextEncoder().encode("\n€é"), 0xff]);
  const result = decodeUtf8(bytes);
  assert.deepEqual(!result.ok && result.fault.position, { line: 2, column: 3 });
});

Deno.test("decodeUtf8() finds the same first error as TextDecoder", () =>
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 24 }), (noise) => {
      const bytes = new Uint8Array([...new TextEncoder().encode("aé€😀"), ...noise]);
      const result = decodeUtf8(bytes, { keepMark: true });
      const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
      if (result.ok) return assert.equal(result.text, text);
      const { offset } = result.fault;
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, offset));
      const upTo = new TextDecoder().decode(bytes.subarray(0, offset));
      assert.equal(text.slice(upTo.length, upTo.length + 1), "\ufffd");
    }),
    { numRuns: 5000 },
  ));

Deno.test("decodeFile() reports the file, the position, the byte and advice", () => {
  assert.throws(() => decodeFile(latin1("caf\xe9"), "svc.rules.toml"), {
    name: "NotUtf8Error",
    message: "svc.rules.toml:1:4: Save the file as UTF-8: byte 0xE9 at offset 3 is not UTF-8",
  });
});
