import assert from "node:assert/strict";
import { CONTENTS } from "./contents.ts";
import { readLibrary, readSources } from "./read_library.ts";
import { placeOf } from "./places.ts";
import { Library } from "./library.ts";

Deno.test("CONTENTS lists every document in the repository once", () => {
  const files = [...Deno.readDirSync(new URL("../../docs/", import.meta.url))]
    .filter(({ isFile, name }) => isFile && name.endsWith(".md"))
    .map(({ name }) => name.slice(0, -".md".length));
  const listed = CONTENTS.flatMap(({ entries }) => entries.map(({ name }) => name));
  assert.deepEqual(listed.toSorted(), files.toSorted());
});

Deno.test("index() has the form of llms.txt: a title, a summary, and a line for each document", async () => {
  const library = await readLibrary();
  const text = library.index("https://svc.example");
  const lines = text.split("\n").filter((line) => line !== "");
  assert.equal(lines[0], "# svc");
  assert.match(lines[1]!, /^> \S/);
  const links = lines.filter((line) => line.startsWith("- ["));
  for (const link of links) {
    assert.match(link, /^- \[[^\]]+\]\(https:\/\/svc\.example\/[\w./-]+\): \S.*$/);
  }
  for (const name of library.documents.keys()) {
    assert.ok(text.includes(`(https://svc.example/docs/${name}.md)`), name);
  }
  assert.equal(links.length, library.documents.size + library.schemas.size + 1);
  assert.match(lines.filter((line) => line.startsWith("## ")).at(-1)!, /^## Optional$/);
});

Deno.test("documents keep their code, and have working links", async () => {
  const sources = await readSources();
  const { documents } = new Library({
    ...sources,
    "kv.md": "# KV\n\n[rules](rules.md#pipeline), [`Edge`](../src/edge/edge.ts), ![a](x.png)\n\n" +
      "```md\n[code](../src/edge/edge.ts)\n```\n[why](decisions/store.md) " +
      "[x](javascript:alert(1)) [web](https://example.com/)\n",
  });
  assert.equal(
    documents.get("kv")!.text,
    "# KV\n\n[rules](rules.md#pipeline), `Edge`, a\n\n" +
      "```md\n[code](../src/edge/edge.ts)\n```\nwhy x) [web](https://example.com/)\n",
  );
  for (const { name, text, title } of (await readLibrary()).documents.values()) {
    assert.doesNotMatch(text, /\]\((?:\.\.\/|decisions\/)/, name);
    assert.ok(text.startsWith(`# ${title}\n`), name);
  }
});

Deno.test("placeOf() links only to pages, schemas, sections and https URLs", () => {
  const rows: Readonly<Record<string, string | undefined>> = {
    "rules.md": "/docs/rules",
    "rules.md#pipeline": "/docs/rules#pipeline",
    "api.md": "/docs/http-api",
    "#below": "#below",
    "schema/svc.schema.json": "/docs/schema/svc.schema.json",
    "https://example.com/a?b#c": "https://example.com/a?b#c",
    "http://example.com/": undefined,
    "//example.com": undefined,
    "https://user@example.com/": undefined,
    "javascript:alert(1)": undefined,
    "data:text/html,x": undefined,
    "../src/edge/edge.ts": undefined,
    "decisions/store.md": undefined,
    "nothing.md": undefined,
    "schema/constructor": undefined,
    "": undefined,
  };
  for (const [target, place] of Object.entries(rows)) assert.equal(placeOf(target), place, target);
});
