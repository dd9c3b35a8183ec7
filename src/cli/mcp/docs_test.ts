import assert from "node:assert/strict";
import { TOOLS } from "./serve_stdio.ts";

Deno.test("docs/agents.md lists every tool of svc mcp with its effect", async () => {
  const page = await Deno.readTextFile(new URL("../../../docs/agents.md", import.meta.url));
  const rows = [...page.matchAll(/^\| `([a-z_]+)` +\|.*\| (\w+) +\| (?:stdio|both) +\|$/gm)];
  assert.deepEqual(
    rows.map(([, name, effect]) => [name, effect]),
    TOOLS.map(({ name, effect }) => [name, effect]),
  );
});
