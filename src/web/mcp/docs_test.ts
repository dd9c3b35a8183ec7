import assert from "node:assert/strict";
import { TOOLS } from "./answer_agent.ts";

Deno.test("docs/agents.md lists every /mcp tool with its effect", async () => {
  const page = await Deno.readTextFile(new URL("../../../docs/agents.md", import.meta.url));
  const rows = [...page.matchAll(/^\| `([a-z_]+)` +\|.*\| (\w+) +\| (?:HTTP|both) +\|$/gm)];
  assert.deepEqual(
    rows.map(([, name, effect]) => [name, effect]),
    TOOLS.map(({ name, effect }) => [name, effect]),
  );
});
