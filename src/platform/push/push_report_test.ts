import assert from "node:assert/strict";
import { BAND, bandPackets, FLUSH, join, packet, PacketReader } from "./pkt_line.ts";
import { readReport, refusalReport, writeReport } from "./push_report.ts";

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

Deno.test("readReport() reads what writeReport() writes, without proxy options", () => {
  const git = join([
    packet("unpack ok\n"),
    packet("ok refs/heads/main\n"),
    packet("option refname refs/heads/other\n"),
    packet("ng refs/heads/old non-fast-forward\n"),
    FLUSH,
  ]);
  const report = readReport(git);
  assert.equal(report.unpack, "ok");
  assert.deepEqual([...report.refs], [
    ["refs/heads/main", undefined],
    ["refs/heads/old", "non-fast-forward"],
  ]);
  assert.deepEqual(readReport(writeReport(report)), report);
});

Deno.test("readReport() reports an interrupted push", () => {
  assert.match(readReport(new Uint8Array()).unpack, /did not report/);
});

Deno.test("writeReport() keeps a reason on one line", () => {
  const report = refusalReport(
    [{ ref: "refs/heads/main", before: undefined, sha: undefined }],
    () => "a\nok refs/x",
  );
  assert.match(text(writeReport(report)), /ng refs\/heads\/main a ok refs\/x\n0000$/);
});

Deno.test("bandPackets() splits content that is too long for one packet", () => {
  const bytes = bandPackets(BAND.words, new Uint8Array(200_000).fill(65));
  const reader = new PacketReader();
  reader.push(bytes);
  let size = 0;
  for (let content = reader.take(); content; content = reader.take()) {
    assert.equal(content[0], BAND.words);
    size += content.byteLength - 1;
  }
  assert.equal(size, 200_000);
  assert.equal(text(bandPackets(BAND.words, "")), "0005\x02");
});
