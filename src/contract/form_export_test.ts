import assert from "node:assert/strict";
import { submissionsToCsv } from "./form_export.ts";
import type { FormSubmission } from "./forms.ts";

const submission = (fields: FormSubmission["fields"]): FormSubmission => ({
  id: "1",
  form: "contact",
  sentAt: "2026-11-27T10:00:00.000Z",
  spamReason: null,
  page: "/",
  fields,
  files: [],
});

Deno.test("submissionsToCsv() gives each field a column and never creates formulas", () => {
  const csv = submissionsToCsv([
    submission([{ name: "a", value: "=1+1" }, { name: "@b", value: 'say "hi", twice' }]),
    submission([
      { name: "@b", value: "+1" },
      { name: "@b", value: "two\nlines" },
      { name: "c", value: "\t=1" },
    ]),
    submission([{ name: "a", value: "-1" }, { name: "c", value: "\uff1d1" }]),
  ]);
  const own = "1,2026-11-27T10:00:00.000Z,/,,";
  assert.equal(
    csv,
    "id,sentAt,page,spamReason,files,a,'@b,c\r\n" +
      `${own},'=1+1,"say ""hi"", twice",\r\n` +
      `${own},,"'+1, two\nlines",'\t=1\r\n` +
      `${own},'-1,,'\uff1d1\r\n`,
  );
});

Deno.test("submissionsToCsv() never gives two columns the same header", () => {
  const names = ["id", "page", "field.id", "field.name"];
  const [head, first] = submissionsToCsv([
    submission(names.map((name) => ({ name, value: `visitor's ${name}` }))),
  ]).split("\r\n");
  assert.equal(
    head,
    "id,sentAt,page,spamReason,files,field.id,field.page,field.field.id,field.name",
  );
  assert.equal(
    first,
    "1,2026-11-27T10:00:00.000Z,/,,,visitor's id,visitor's page,visitor's field.id,visitor's field.name",
  );
});
