/**
 * Tests the question about other hosts' configuration files, which `deploy` and `init` ask once.
 */
import assert from "node:assert/strict";
import { type Bench, withPlatform } from "../_test_platform.ts";
import { personWho } from "../_test_run.ts";

const REDIRECTS = "/old /new 301\n";
const QUESTION =
  "_redirects configures another hosting platform. Import its 1 entry into svc.rules.toml?";
const NOTICE = /_redirects configures another host, so svc does not apply the file/;

async function linked(bench: Bench): Promise<void> {
  await bench.json(["init", "--create"]);
  await bench.write("_redirects", REDIRECTS);
}

Deno.test("deploy imports the rules of another host if the user accepts", async () => {
  await withPlatform(async (bench) => {
    await linked(bench);
    const person = personWho([true]);
    const { code, stderr, stdout } = await bench.run(["deploy"], { prompter: person });
    assert.equal(code, 0, stderr);
    assert.deepEqual(person.asked, [QUESTION]);
    assert.match(stderr, /✓ Imported _redirects into svc\.rules\.toml: 1 entry as 2 rules\n/);
    assert.doesNotMatch(stderr, NOTICE);
    assert.match(await bench.read("svc.rules.toml"), /value = "\/old"/);
    assert.equal((await bench.page(stdout.trim(), "/old")).status, 301);
    const again = await bench.run(["deploy"], { prompter: personWho([]) });
    assert.equal(again.code, 0, again.stderr);
  });
});

Deno.test("deploy stores a refusal in svc.toml, and does not mention the file again", async () => {
  await withPlatform(async (bench) => {
    await linked(bench);
    const person = personWho([false]);
    const { code, stderr } = await bench.run(["deploy"], { prompter: person });
    assert.equal(code, 0, stderr);
    assert.deepEqual(person.asked, [QUESTION]);
    const toml = await bench.read("svc.toml");
    assert.match(toml, /not_imported = \["_redirects"\]/);
    assert.match(toml, /name = "my-site"/);
    for (const prompter of [personWho([]), undefined]) {
      const again = await bench.run(["deploy"], prompter === undefined ? {} : { prompter });
      assert.equal(again.code, 0, again.stderr);
      assert.doesNotMatch(again.stderr, NOTICE);
    }
  });
});

Deno.test("deploy asks nothing in a pipe or a dry run, but reports the file", async () => {
  await withPlatform(async (bench) => {
    await linked(bench);
    assert.match((await bench.run(["deploy"])).stderr, NOTICE);
    await bench.write("_headers", "/*\n  X-A: b\n");
    const { stderr } = await bench.run(["deploy"]);
    const proposed = [...stderr.matchAll(/svc (rules import .*--output \S+)/g)];
    assert.equal(
      proposed.length,
      1,
      "each file with the same output would replace the previous one",
    );
    await bench.json(proposed[0]![1]!.split(" "));
    assert.doesNotMatch((await bench.run(["deploy"])).stderr, /configuration of/);
    await bench.write("_redirects", "/older /new 301\n\n/old /new 301\n");
    await bench.write("svc.rules.toml", 'schemaVersion = "EDGE_RULE_SET_V1"\nrules = []\n');
    const dry = await bench.run(["deploy", "--dry-run"], { prompter: personWho([]) });
    assert.match(dry.stderr, /_redirects, _headers configure other hosts/);
    assert.doesNotMatch(await bench.read("svc.toml"), /not_imported/);
  });
});

Deno.test("an import keeps existing rules", async () => {
  await withPlatform(async (bench) => {
    await linked(bench);
    const own = 'schemaVersion = "EDGE_RULE_SET_V1"\n\n# Mine.\n[[rules]]\nid = "mine"\n' +
      'condition.path = { type = "exact", value = "/a" }\n' +
      'action = { type = "redirect", target = "/b" }\n';
    await bench.write("svc.rules.toml", own);
    await bench.write("_headers", "/*\n  X-A: b\n");
    const person = personWho([true, true]);
    const run = await bench.run(["deploy"], { prompter: person });
    assert.equal(run.code, 0, run.stderr);
    const both = await bench.read("svc.rules.toml");
    assert.ok(both.startsWith(own), both);
    assert.equal(both.match(/^\[\[rules\]\]$/gm)?.length, 4);
  });
});

Deno.test("deploy does not ask if rules cannot be added automatically, and gives advice", async () => {
  await withPlatform(async (bench) => {
    await linked(bench);
    await bench.write("svc.rules.toml", 'schemaVersion = "EDGE_RULE_SET_V1"\nrules = []\n');
    const run = await bench.run(["deploy"], { prompter: personWho([]) });
    assert.equal(run.code, 0, run.stderr);
    const line = /svc (rules import _redirects --output svc\.rules\.toml)/.exec(run.stderr)?.[1];
    assert.ok(line !== undefined, run.stderr);
    const refused = await bench.run(line.split(" "));
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /Cannot add rules to svc\.rules\.toml.*\n.*\[\[rules\]\] tables/);
  });
});

Deno.test("deploy imports a netlify.toml, and explains how to set the rest in svc", async () => {
  await withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    await bench.write(
      "netlify.toml",
      '[build]\npublish = "dist"\n[build.environment]\nNODE_VERSION = "24"\n\n' +
        '[[redirects]]\nfrom = "/old"\nto = "/new"\n\n' +
        '[[headers]]\nfor = "/*"\n[headers.values]\nX-From = "toml"\n',
    );
    const person = personWho([true]);
    const { code, stderr, stdout } = await bench.run(["deploy"], { prompter: person });
    assert.equal(code, 0, stderr);
    assert.deepEqual(person.asked, [
      "netlify.toml configures another hosting platform. Import its 2 entries into svc.rules.toml?",
    ]);
    assert.match(stderr, /Imported netlify\.toml .*: 2 entries as 3 rules, 2 skipped/);
    assert.match(stderr, /netlify\.toml:4: skipped: .* svc env set NODE_VERSION --all/);
    assert.equal((await bench.page(stdout.trim(), "/old")).status, 301);
    const again = await bench.run(["deploy"], { prompter: personWho([]) });
    assert.equal(again.code, 0, again.stderr);
  });
});

Deno.test("init also asks, after it has created svc.toml", async () => {
  await withPlatform(async (bench) => {
    await bench.write("_redirects", REDIRECTS);
    const person = personWho(["my-site", false]);
    const { code, stderr } = await bench.run(["init"], { prompter: person });
    assert.equal(code, 0, stderr);
    assert.deepEqual(person.asked, ["Name of the project", QUESTION]);
    assert.match(await bench.read("svc.toml"), /name = "my-site"[^]*not_imported/);
    const json = await bench.json(["init"]);
    assert.equal(json.created, false);
  });
});
