import assert from "node:assert/strict";
import fc from "fast-check";
import { createSuggestedCommands, type KnownFlag, shellWord } from "./suggested_commands.ts";

const FLAGS: readonly KnownFlag[] = [
  ...["--token", "--workspace", "--api-url", "--project-id", "--message", "--value"]
    .map((long) => ({ long, takesValue: true })),
  { long: "--port", short: "-p", takesValue: true },
  { long: "--json", takesValue: false },
  { long: "--prod", takesValue: false },
];

const linesOf = (...argv: string[]) => createSuggestedCommands(argv, FLAGS);

Deno.test("again() repeats the line with its flags, quoted for a shell", () => {
  const lines = linesOf(
    "deploy",
    "my site",
    "--prod",
    "--message",
    "it's on",
    "--api-url=http://x",
  );
  assert.equal(
    lines.again(),
    `svc deploy 'my site' --prod --message 'it'\\''s on' --api-url=http://x`,
  );
});

Deno.test("again() sets, replaces and leaves out flags, before the arguments after --", () => {
  const lines = linesOf("env", "exec", "--project-id", "a", "--prod", "--", "npm", "run", "--prod");
  assert.equal(
    lines.again({ "--prod": undefined, "--force": true }),
    "svc env exec --project-id a --force -- npm run --prod",
  );
});

Deno.test("again() recognizes a flag by its short name", () => {
  assert.equal(linesOf("dev", "-p", "3000").again({ "--port": "4000" }), "svc dev --port 4000");
});

Deno.test("of() keeps platform, workspace and JSON mode, and nothing else", () => {
  const lines = linesOf(
    "--workspace",
    "acme",
    "deploy",
    "--json",
    "--prod",
    "--api-url",
    "http://x",
  );
  assert.equal(
    lines.of("projects", "list"),
    "svc projects list --workspace acme --json --api-url http://x",
  );
});

Deno.test("no suggested line repeats a possible secret", () => {
  const lines = linesOf("env", "set", "KEY", "--plain", "--value", "1", "--token=svc_1", "--json");
  assert.equal(lines.again(), "svc env set KEY --plain --value 1 --json");
  assert.equal(lines.of("login"), "svc login --json");
});

Deno.test("again() never chooses a command's target", () => {
  const lines = linesOf("deploy", "--prod", "--project-id", "blog");
  for (const flag of ["--project-id", "--workspace", "--environment", "--database", "--branch"]) {
    assert.throws(() => lines.again({ [flag]: "shop" }), TypeError, flag);
  }
  assert.equal(lines.again({ "--project-id": undefined }), "svc deploy --prod");
});

Deno.test("shellWord() keeps plain words and quotes others", () => {
  assert.equal(shellWord("www.example.com"), "www.example.com");
  assert.equal(shellWord("*.example.com"), "'*.example.com'");
  assert.equal(shellWord("it's"), "'it'\\''s'");
  assert.equal(shellWord(""), "''");
});

Deno.test("shellWord() returns one word for the shell, regardless of its characters", async () => {
  const visible = fc.stringMatching(/^[ -~]{0,20}$/);
  const words = fc.sample(visible, { numRuns: 200, seed: 1 });
  const script = words.map((word) => `printf '%s\\n' ${shellWord(word)}`).join("\n");
  const { stdout } = await new Deno.Command("sh", { args: ["-c", script] }).output();
  assert.equal(new TextDecoder().decode(stdout), words.map((word) => `${word}\n`).join(""));
});
