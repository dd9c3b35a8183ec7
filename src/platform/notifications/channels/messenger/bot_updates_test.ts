import assert from "node:assert/strict";
import { readInput, type Update, updateList } from "./bot_updates.ts";

const from = { id: 7, first_name: "Ada", last_name: "L", username: "ada" };
const chat = { id: 7, name: "Ada L", username: "ada" };
const message = (text: string, type = "private") => ({
  update_id: 1,
  message: { message_id: 1, chat: { id: 7, type }, from, text },
});

const rows: readonly [string, unknown, ReturnType<typeof readInput>][] = [
  ["a start with a code", message("/start abc_-1"), {
    type: "command",
    chat,
    name: "start",
    argument: "abc_-1",
  }],
  ["a command with the bot's name", message("/STOP@svc_bot"), {
    type: "command",
    chat,
    name: "stop",
    argument: "",
  }],
  ["plain text", message("hello\nthere"), { type: "command", chat, name: "help", argument: "" }],
  ["a group", message("/start", "group"), undefined],
  ["an unknown update", { update_id: 1, poll: { id: "1" } }, undefined],
  ["a malformed message", { update_id: 1, message: { chat: "x" } }, undefined],
];

for (const [name, update, input] of rows) {
  Deno.test(`readInput() reads ${name}`, () => {
    const [parsed] = updateList.parse([update]) as [Update];
    assert.equal(parsed.update_id, 1);
    assert.deepEqual(readInput(parsed), input);
  });
}

Deno.test("readInput() reads a tap on a button", () => {
  const [update] = updateList.parse([{
    update_id: 2,
    callback_query: { id: "q", from, data: "x", message: { message_id: 5, chat: { id: 7 } } },
  }]);
  assert.deepEqual(readInput(update!), {
    type: "tap",
    chat,
    queryId: "q",
    messageId: 5,
    data: "x",
  });
});
