import assert from "node:assert/strict";
import { zip } from "../../lib/_test_zip.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import { MAX_UNPACKED_BYTES, readZip } from "./read_zip.ts";

Deno.test("readZip() reads files and skips folders, development files and secrets", async () => {
  const files = await readZip(zip([
    { path: "site/", text: "", mode: 0o040755 },
    { path: "site/index.html", text: "<h1>Grüße</h1>" },
    { path: "site/ü.txt", text: "" },
    { path: "site/node_modules/a.js", text: "x" },
    { path: "site/.env", text: "SECRET=1" },
  ]));
  assert.deepEqual(
    files.map(({ path, content }) => [path, new TextDecoder().decode(content)]),
    [["site/index.html", "<h1>Grüße</h1>"], ["site/ü.txt", ""]],
  );
});

const REFUSED: readonly (readonly [string, Uint8Array<ArrayBuffer>, RegExp])[] = [
  ["an HTML page", new TextEncoder().encode("<h1>Hi</h1>"), /Cannot read the zip archive/],
  ["a path that leads outside", zip([{ path: "../../etc/passwd", text: "x" }]), /relative path/],
  ["an absolute path", zip([{ path: "/etc/passwd", text: "x" }]), /absolute path/],
  ["a damaged file", zip([{ path: "a", text: "x", crc: 1 }]), /Cannot read a: it is damaged$/],
  [
    "a link",
    zip([{ path: "passwd", text: "/etc/passwd", mode: 0o120777 }]),
    /^Cannot upload passwd: it is a symbolic link/,
  ],
  ["an encrypted file", zip([{ path: "a", text: "x", flags: 0x801 }]), /a: it is encrypted/],
  [
    "more bytes than declared",
    zip([{ path: "bomb", text: "0".repeat(1_000_000), size: 10 }]),
    /bomb: it is damaged or larger/,
  ],
  [
    "more bytes than are allowed",
    zip([{ path: "bomb", text: "x", size: MAX_UNPACKED_BYTES + 1 }]),
    /more than 256/,
  ],
];

for (const [name, bytes, message] of REFUSED) {
  Deno.test(`readZip() refuses ${name}`, async () => {
    await assert.rejects(
      readZip(bytes),
      (error) => error instanceof Failure && (assert.match(error.message, message), true),
    );
  });
}
