import assert from "node:assert/strict";
import { basicPassword } from "./basic_credentials.ts";

const request = (authorization: string) =>
  new Request("http://svc.example/git/a/b.git", { headers: { authorization } });
const basic = (text: string) => `Basic ${new TextEncoder().encode(text).toBase64()}`;

const CASES: readonly (readonly [field: string, password: string | undefined])[] = [
  [basic("svc:key-1"), "key-1"],
  [basic(":key-1"), "key-1"],
  [basic("ada:with:colon"), "with:colon"],
  [basic("svc:"), undefined],
  [basic("no colon"), undefined],
  [basic("svc:line\r\nX-Workspace: other"), undefined],
  [basic("svc:ключ"), undefined],
  ["Basic ////", undefined],
  ["Basic not base64", undefined],
  ["Bearer key-1", undefined],
];

for (const [field, password] of CASES) {
  Deno.test(`basicPassword() returns ${password ?? "nothing"} for ${JSON.stringify(field)}`, () => {
    assert.equal(basicPassword(request(field)), password);
  });
}
