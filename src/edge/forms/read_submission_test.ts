import assert from "node:assert/strict";
import { FormRefusal, readSubmission } from "./read_submission.ts";

const FORM = { name: "contact" };

function multipart(parts: number, contentType: string) {
  const part = '--b0\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n';
  const body = new TextEncoder().encode(`${part.repeat(parts)}--b0--\r\n`);
  return { contentType, body: ReadableStream.from([body]) };
}

Deno.test("readSubmission() does not parse a body with more parts than a form can have", async () => {
  const parse = Response.prototype.formData;
  let parsed = 0;
  Response.prototype.formData = function () {
    parsed++;
    return parse.call(this);
  };
  try {
    const types = ["multipart/form-data; boundary=b0", 'multipart/form-data; x="; boundary=b0"'];
    for (const type of types) {
      await assert.rejects(readSubmission(multipart(150_000, type), FORM), FormRefusal, type);
    }
    assert.equal(parsed, 0);
    const { fields } = await readSubmission(multipart(50, types[0]!), FORM);
    assert.deepEqual([fields.length, parsed], [50, 1]);
  } finally {
    Response.prototype.formData = parse;
  }
});
