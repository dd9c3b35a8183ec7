import assert from "node:assert/strict";
import { encode } from "uqr";
import { drawQrCode } from "./qr_code.ts";

Deno.test("drawQrCode() draws every module, two rows per line, with a quiet zone", () => {
  const address = "http://localhost:8787/device?code=BCDF-GHJK";
  const { text, columns } = drawQrCode(address);
  // deno-lint-ignore no-control-regex -- matches a terminal's color codes
  const lines = text.split("\n").map((line) => line.replace(/\x1b\[[\d;]*m/g, ""));
  const rows = lines.flatMap((line) => [
    [...line].map((block) => "█▀".includes(block)),
    [...line].map((block) => "█▄".includes(block)),
  ]);
  const { data, size } = encode(address, { border: 2 });
  assert.equal(columns, size);
  assert.deepEqual(rows.slice(0, size), data);
  assert.ok(rows.slice(0, 2).flat().every((dark) => !dark));
});
