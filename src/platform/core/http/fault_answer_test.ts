import assert from "node:assert/strict";
import { BrokenBodyError } from "../../../lib/broken_body.ts";
import { OutboundError } from "../../../runtime/mod.ts";
import { faultAnswer } from "./fault_answer.ts";

const rows: readonly (readonly [name: string, error: unknown, logged: RegExp | undefined])[] = [
  ["an error in a function's body", new BrokenBodyError("killed"), undefined],
  ["an error in another site's body", new OutboundError("reset", "gone"), undefined],
  [
    "a platform error",
    new TypeError("damaged"),
    /^Cannot complete a response: TypeError: dam/,
  ],
  ["a thrown text", "thrown text", /: thrown text$/],
];

for (const [name, error, logged] of rows) {
  Deno.test(`faultAnswer() logs only the platform's own errors: ${name}`, async () => {
    const lines: string[] = [];
    const answer = faultAnswer(({ message }) => lines.push(message))(error);
    assert.equal(answer.status, 500);
    assert.equal(await answer.text(), "The platform failed to respond\n");
    assert.equal(lines.length, logged === undefined ? 0 : 1);
    if (logged !== undefined) assert.match(lines[0]!, logged);
  });
}
