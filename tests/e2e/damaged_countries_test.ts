/** A program with a damaged country database must report the damage wherever `geo` is used. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import * as z from "zod";
import { COMPILED, startProgram } from "../../scripts/_program.ts";
import { until } from "../../src/lib/_test_until.ts";
import { TOKEN, withSandbox } from "../helpers/sandbox.ts";

/** The first bytes of the metadata in an MMDB file. */
const MARKER = Buffer.from("abcdef4d61784d696e642e636f6d", "hex");

const RULES = `schemaVersion = "EDGE_RULE_SET_V1"

[[rules]]
id = "abroad"
condition.geo = ["DE"]
action = { type = "deny" }
`;

const WARNING = /conditions on geo never match/;

const report = z.object({
  points: z.array(z.object({ name: z.string(), state: z.string(), found: z.string() })),
});

/** Copies the program, with one byte of its country data changed. */
async function writeDamaged(program: string, folder: string): Promise<string> {
  const bytes = Buffer.from(await Deno.readFile(program));
  const at = bytes.indexOf(MARKER);
  assert.ok(at > 0 && bytes.indexOf(MARKER, at + 1) === -1, "expected one database in the program");
  bytes[at - 1000]! ^= 0xff;
  const path = join(folder, "damaged");
  await Deno.writeFile(path, bytes, { mode: 0o755 });
  return path;
}

async function run(command: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
  const [program, ...args] = command;
  const { code, stdout, stderr } = await new Deno.Command(program!, {
    args,
    cwd,
    env,
    clearEnv: true,
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

Deno.test({
  name: "doctor, health, publish and deploy report that country lookups do not work",
  // When svc runs from source, the database is in a package that other tests also use, so it must
  // not be damaged.
  ignore: COMPILED === undefined,
  fn: () =>
    withSandbox(async (box) => {
      await Deno.writeTextFile(join(box.site, "index.html"), "home");
      await Deno.writeTextFile(join(box.site, "svc.rules.toml"), RULES);
      await box.start();
      await box.json(["init", "--name", "shop", "--create"]);
      const well = await box.tool(["deploy", "--prod", "--json"]);
      assert.equal(well.code, 0, well.stderr);
      assert.doesNotMatch(well.stderr + well.stdout, WARNING);
      const before = box.platform!;
      assert.equal(await before.stop(), 0);

      const damaged = await writeDamaged(COMPILED!, box.folder);
      const platform = await startProgram({
        dataDir: box.dataDir,
        env: { ...box.env, SVC_BOOTSTRAP_TOKEN: TOKEN },
        command: [damaged],
      });
      box.platform = platform;
      const env = { ...box.env, SVC_API_URL: platform.url };
      const health = await (await fetch(`${platform.url}/v1/health`)).json();
      assert.deepEqual([health.knowsCountries, health.status], [false, "ok"]);
      const cause = /Cannot look up countries of IP addresses.*damaged/;
      await until(() => platform.errors(), (log) => cause.test(log));

      const { stdout } = await run([damaged, "doctor", "--json"], box.site, env);
      const points = new Map(report.parse(JSON.parse(stdout)).points.map((p) => [p.name, p]));
      assert.equal(points.get("countries")?.state, "fail");
      assert.match(points.get("countries")!.found, /damaged/);
      assert.equal(points.get("platform countries")?.state, "fail");

      for (const command of [["rules", "publish"], ["deploy", "--prod"]]) {
        const { code, stderr } = await run([COMPILED!, ...command], box.site, env);
        assert.equal(code, 0, stderr);
        assert.match(stderr, WARNING, command.join(" "));
      }
    }),
});
