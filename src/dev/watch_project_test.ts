import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../lib/_test_until.ts";
import type { Change } from "./site/project_site.ts";
import { changeOf, watchProject } from "./watch_project.ts";

const CHANGES: readonly (readonly [path: string, change: string | undefined])[] = [
  ["svc.rules.toml", "rules"],
  ["functions/greet.ts", "functions files"],
  ["lib/shared.js", "functions files"],
  ["index.html", "files"],
  ["node_modules/x/index.js", undefined],
  [".svc/data/kv.sqlite3", undefined],
  ["app/.next/cache/x", undefined],
];

for (const [path, wanted] of CHANGES) {
  Deno.test(`changeOf() returns ${wanted ?? "nothing"} for ${path}`, () => {
    const change = changeOf(path);
    const names = change && Object.entries(change).filter(([, is]) => is).map(([name]) => name);
    assert.equal(names?.join(" "), wanted);
  });
}

Deno.test("watchProject() reports saves, even in folders created later", async () => {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-watch-" }));
  let next = Promise.withResolvers<Change>();
  const stop = watchProject(folder, (change) => next.resolve(change));
  try {
    await Deno.writeTextFile(join(folder, "svc.rules.toml"), "");
    assert.equal((await next.promise).rules, true);
    next = Promise.withResolvers();
    await Deno.mkdir(join(folder, "functions"));
    await next.promise;
    next = Promise.withResolvers();
    await Deno.writeTextFile(join(folder, "functions", "greet.ts"), "");
    assert.equal((await next.promise).functions, true);
  } finally {
    stop();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("watchProject() reports saves next to a file that is constantly written to", async () => {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-watch-" }));
  let isRuleSaved = false;
  const stop = watchProject(folder, ({ rules }) => isRuleSaved ||= rules);
  const log = join(folder, "server.log");
  const writing = setInterval(() => Deno.writeTextFileSync(log, "line\n", { append: true }), 2);
  try {
    await Deno.writeTextFile(join(folder, "svc.rules.toml"), "");
    await until(() => isRuleSaved);
  } finally {
    clearInterval(writing);
    stop();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("watchProject() reports functions that are created together with their folder", async () => {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-watch-" }));
  const next = Promise.withResolvers<Change>();
  const stop = watchProject(folder, next.resolve);
  try {
    Deno.mkdirSync(join(folder, "functions"));
    Deno.writeTextFileSync(join(folder, "functions", "greet.ts"), "");
    assert.equal((await next.promise).functions, true);
  } finally {
    stop();
    await Deno.remove(folder, { recursive: true });
  }
});
