import assert from "node:assert/strict";
import { printsToJournal } from "./journal.ts";

const OUTPUT = () => ({ dev: 9n, ino: 31_415n });

Deno.test("printsToJournal() is true where standard output is what systemd reads, and only there", () => {
  assert.equal(printsToJournal({ JOURNAL_STREAM: "9:31415" }, OUTPUT), true);
  assert.equal(printsToJournal({ JOURNAL_STREAM: "9:31416" }, OUTPUT), false, "inherited");
  assert.equal(printsToJournal({ JOURNAL_STREAM: "" }, OUTPUT), false);
  assert.equal(printsToJournal({}, OUTPUT), false);
  assert.equal(printsToJournal({ JOURNAL_STREAM: "0:0" }), false, "of this process");
});
