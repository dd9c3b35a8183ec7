import assert from "node:assert/strict";
import { join } from "node:path";
import { runCli } from "../_test_run.ts";
import { findCommand } from "../command/arguments.ts";
import { COMMANDS } from "../command_tree.ts";
import { renderAgentsSection, withAgentsSection } from "./agents_section.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";

const FACTS = { name: "blog", buildCommand: "npm run build", devCommand: undefined };

Deno.test("withAgentsSection() adds the section once, and keeps the surrounding text", () => {
  const section = renderAgentsSection(FACTS);
  assert.equal(withAgentsSection("", section), `${section}\n`);
  const added = withAgentsSection("# Ours\n\nBe kind.\n", section);
  assert.equal(added, `# Ours\n\nBe kind.\n\n${section}\n`);
  const renamed = renderAgentsSection({ ...FACTS, name: "shop" });
  assert.equal(
    withAgentsSection(`${added}\n## More\n`, renamed),
    `# Ours\n\nBe kind.\n\n${renamed}\n\n## More\n`,
  );
});

Deno.test("withAgentsSection() replaces the section of another version, and keeps the file's line endings", () => {
  const section = renderAgentsSection(FACTS);
  const older = "# Ours\n\n<!-- svc: begin (older words) -->\n$& old\n<!-- svc: end -->\n\nMore\n";
  assert.equal(withAgentsSection(older, section), `# Ours\n\n${section}\n\nMore\n`);
  const windows = withAgentsSection("# Ours\r\n", section);
  assert.doesNotMatch(windows, /[^\r]\n/);
  assert.equal(withAgentsSection(windows, section), windows);
});

Deno.test("withAgentsSection() keeps the text next to a marker that has no counterpart", () => {
  const section = renderAgentsSection(FACTS);
  const [begin] = section.split("\n");
  for (const broken of [`${begin}\nOurs\n`, "<!-- svc: end -->\nOurs\n", `Ours\n${begin}`]) {
    const once = withAgentsSection(broken, section);
    assert.equal(once, `${broken.trimEnd()}\n\n${section}\n`);
    assert.equal(withAgentsSection(once, section), once, "again, without losing anything");
  }
});

Deno.test("every command in the section exists", () => {
  const lines = [...renderAgentsSection(FACTS).matchAll(/`svc ([a-z]+(?: [a-z]+)?)/g)];
  assert.ok(lines.length > 8);
  for (const [, line] of lines) {
    assert.ok(findCommand(line!.split(" "), COMMANDS).leaf, `svc ${line}`);
  }
});

Deno.test("svc init --agents adds one section to AGENTS.md, even if it runs twice", async () => {
  await inTestFolder(async (folder) => {
    const file = join(folder, "AGENTS.md");
    await Deno.writeTextFile(file, "# Ours\n");
    const words = ["init", "--name", "blog", "--skip-detection", "--agents", "--json"];
    const first = await runCli(words, { cwd: folder });
    assert.equal(first.code, 0, first.stdout);
    assert.equal(JSON.parse(first.stdout).agents, file);
    const text = await Deno.readTextFile(file);
    assert.match(text, /^# Ours\n\n<!-- svc: begin .*-->\n\n## Hosting\n\nThe project `blog`/);
    await runCli(words, { cwd: folder });
    assert.equal(await Deno.readTextFile(file), text);
  });
});
