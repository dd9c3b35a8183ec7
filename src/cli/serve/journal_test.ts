import assert from "node:assert/strict";
import { printsToJournal } from "./journal.ts";

const OUTPUTS = () => [{ dev: 9n, ino: 27_182n }, { dev: 9n, ino: 31_415n }];

Deno.test("printsToJournal() is true only if systemd reads one of the outputs", () => {
  assert.equal(printsToJournal({ JOURNAL_STREAM: "9:27182" }, OUTPUTS), true);
  assert.equal(printsToJournal({ JOURNAL_STREAM: "9:31415" }, OUTPUTS), true);
  assert.equal(printsToJournal({ JOURNAL_STREAM: "9:31416" }, OUTPUTS), false, "inherited");
  assert.equal(printsToJournal({ JOURNAL_STREAM: "" }, OUTPUTS), false);
  assert.equal(printsToJournal({}, OUTPUTS), false);
  assert.equal(printsToJournal({ JOURNAL_STREAM: "0:0" }), false, "of this process");
});
