import assert from "node:assert/strict";
import { createPlainPrompter } from "./plain_prompter.ts";

/** Creates a prompter. Each read from its keyboard returns one of the given strings. */
function typing(...typed: readonly string[]) {
  const rest = [...typed];
  const raw: boolean[] = [];
  const shown: string[] = [];
  const prompter = createPlainPrompter(
    {
      read: () => {
        const text = rest.shift();
        return Promise.resolve(text === undefined ? null : new TextEncoder().encode(text));
      },
      setRaw: (on) => void raw.push(on),
    },
    { isTerminal: true, write: (text) => void shown.push(String(text)) },
    new AbortController().signal,
  );
  return { prompter, raw, shown: () => shown.join("") };
}

Deno.test("text() accepts typed and suggested text, and asks again after a problem", async () => {
  const { prompter, shown } = typing("No Name\n", "\n");
  const validate = (answer: string) => answer.includes(" ") ? "Use no blanks" : undefined;
  assert.equal(await prompter.text({ message: "Name", initial: "site", validate }), "site");
  assert.equal(shown(), "Name [site]: Use no blanks\nName [site]: ");
});

Deno.test("value() hides the typed text, which can be corrected", async () => {
  const { prompter, raw, shown } = typing("hunterX", "\x7f2\r");
  assert.equal(await prompter.value({ message: "Password", isShown: false }), "hunter2");
  assert.deepEqual(raw, [true, false]);
  assert.equal(shown(), "\x1b[?2004hPassword (hidden): \x1b[?2004l\n");
});

const PEM = "-----BEGIN KEY-----\nMIIB\n-----END KEY-----";

Deno.test("value() accepts all lines of a paste, whether the terminal marks it or not", async () => {
  const pasted = PEM.replaceAll("\n", "\r");
  const rows = [
    [`\x1b[200~${pasted}\r\x1b[201~`, "\r"],
    // One read ends within the marker, and the lines are split over several reads.
    ["\x1b[20", `0~${pasted.slice(0, 30)}`, `${pasted.slice(30)}\x1b[201~`, "\r"],
    [`${pasted}\r`],
    [pasted.slice(0, 20), pasted.slice(20), "\r"],
  ];
  for (const typed of rows) {
    const { prompter, shown } = typing(...typed);
    assert.equal(await prompter.value({ message: "Key", isShown: false }), PEM);
    assert.ok(!shown().includes("MIIB"), "a secret is not shown");
  }
});

Deno.test("value() shows values that are not secret", async () => {
  const { prompter, shown } = typing("inX", "\x7ffo\x1b[A\r");
  assert.equal(await prompter.value({ message: "Level", isShown: true }), "info");
  assert.ok(shown().includes("inX\b \bfo"), JSON.stringify(shown()));
});

Deno.test("confirm() accepts yes, no and the default", async () => {
  const { prompter } = typing("maybe\nYES\n\nn\n");
  assert.equal(await prompter.confirm({ message: "Sure?" }), true);
  assert.equal(await prompter.confirm({ message: "Sure?", initial: true }), true);
  assert.equal(await prompter.confirm({ message: "Sure?", initial: true }), false);
});

Deno.test("select() numbers the choices", async () => {
  const { prompter, shown } = typing("3\n", "2\n");
  const choices = [{ value: "a", label: "A" }, { value: "b", label: "B", hint: "the other" }];
  assert.equal(await prompter.select({ message: "Which?", choices }), "b");
  assert.equal(
    shown(),
    "Which?\n  1) A\n  2) B (the other)\nNumber, 1 to 2: Enter a number from 1 to 2\nNumber, 1 to 2: ",
  );
});

for (const [name, typed] of [["Ctrl-C", "\x03"], ["Ctrl-D", "\x04"]] as const) {
  Deno.test(`every prompt ends the command on ${name} and at the end of input`, async () => {
    const { prompter, raw } = typing(typed);
    await assert.rejects(prompter.value({ message: "Password", isShown: false }), {
      code: "interrupted",
    });
    assert.deepEqual(raw, [true, false]);
    await assert.rejects(prompter.text({ message: "Name" }), { code: "interrupted" });
  });
}

Deno.test("a signal ends a prompt that is waiting for an answer", async () => {
  const stop = new AbortController();
  const prompter = createPlainPrompter(
    { read: () => new Promise(() => {}), setRaw() {} },
    { isTerminal: true, write: () => queueMicrotask(() => stop.abort()) },
    stop.signal,
  );
  await assert.rejects(prompter.text({ message: "Name" }), { code: "interrupted" });
  await assert.rejects(prompter.confirm({ message: "Sure?" }), { code: "interrupted" });
});
