import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readUnsubscription, signUnsubscription } from "./unsubscribe_token.ts";

const key = Buffer.alloc(32, 1).toString("base64url");
const unsubscription = {
  userId: "01900000-0000-7000-8000-00000000000a",
  category: "Health",
} as const;
const token = signUnsubscription(unsubscription, key);

Deno.test("readUnsubscription() accepts a signed token", () => {
  assert.deepEqual(readUnsubscription(token, key), unsubscription);
});

const forged = {
  "another category": token.replace(".health.", ".security."),
  "another person": token.replace("00a.", "00b."),
  "another key": signUnsubscription(unsubscription, Buffer.alloc(32, 2).toString("base64url")),
  "no signature": token.slice(0, token.lastIndexOf(".") + 1),
  "text after the signature": `${token}.x`,
  "an unknown category": token.replace(".health.", ".spam."),
  "nothing": "",
};

for (const [name, text] of Object.entries(forged)) {
  Deno.test(`readUnsubscription() refuses ${name}`, () => {
    assert.equal(readUnsubscription(text, key), undefined);
  });
}
