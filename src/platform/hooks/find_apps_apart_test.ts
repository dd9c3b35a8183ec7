import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { CommitFiles } from "../git/mod.ts";
import { findAppsApart } from "./find_apps_apart.ts";

const commit = (texts: Readonly<Record<string, string>>): CommitFiles => ({
  paths: Object.keys(texts),
  readText: (path) => Promise.resolve(texts[path]),
});

/** Makes a pattern such as `/^\\s*gem/m` take almost half an hour. */
const HOSTILE = commit({ Gemfile: "\n".repeat(1024 * 1024) });

Deno.test("findAppsApart() finds the apps in a commit", async () => {
  const files = commit({ "site/hugo.toml": 'title = "Blog"', "index.html": "<h1>Hi</h1>" });
  const apps = await findAppsApart(files, { signal: new AbortController().signal });
  assert.deepEqual(
    apps.map(({ rootDirectory, kind }) => [rootDirectory, kind]),
    [[null, "Static site"], ["site", "Hugo"]],
  );
});

Deno.test("findAppsApart() gives up on files that take too long, without blocking other work", async () => {
  let turns = 0;
  const ticking = setInterval(() => turns++, 20);
  try {
    await assert.rejects(
      findAppsApart(HOSTILE, { signal: new AbortController().signal, limitMs: 2000 }),
      { code: "conflict", message: /take too long to read/ },
    );
  } finally {
    clearInterval(ticking);
  }
  assert.ok(turns > 20, `${turns} turns`);
});

Deno.test("findAppsApart() ends when nobody waits for it", async () => {
  const leaving = new AbortController();
  const finding = findAppsApart(HOSTILE, { signal: leaving.signal });
  await delay(200);
  leaving.abort(new Error("The client left"));
  await assert.rejects(finding, /The client left/);
});

Deno.test("findAppsApart() reports a file that cannot be read", async () => {
  const files = { ...HOSTILE, readText: () => Promise.reject(new Error("git is gone")) };
  await assert.rejects(
    findAppsApart(files, { signal: new AbortController().signal }),
    /git is gone/,
  );
});
