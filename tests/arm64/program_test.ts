/** Tests the arm64 program under QEMU, from its first output to a deployment's page. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { provideArm64 } from "../../scripts/_arm64.ts";
import { hear } from "../../scripts/_process.ts";
import { COMPILED } from "../../scripts/_program.ts";
import { copySite, withSandbox } from "../helpers/sandbox.ts";

const HOST = "kestrel-hut.localhost";

const RULES = `
[[rules]]
id = "not-from-germany"
condition = { path = { type = "exact", value = "/beds" }, geo = ["DE"] }
action = { type = "deny", statusCode = 451 }
`;

const problem = await provideArm64();
// deno-lint-ignore no-console -- says why tests are skipped
if (problem !== undefined) console.log(`Skipping the program for arm64: ${problem}`);
const ignore = problem !== undefined;

/** Whether the program's child processes also run under QEMU. See `in_arm64.sh`. */
async function startsPrograms(): Promise<boolean> {
  const namespaces = ["unshare", "--user", "--map-root-user", "--mount", "--"] as const;
  const { code } = await hear([...namespaces, COMPILED!], { env: { SVC_ARM64_INSIDE: "probe" } });
  return code === 0;
}

Deno.test(
  "the program for arm64 prints its version and its features",
  { ignore },
  () =>
    withSandbox(async (box) => {
      const version = await box.tool(["--version"]);
      assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/, version.stderr);
      const help = await box.tool(["--help"]);
      assert.equal(help.code, 0, help.stderr);
      assert.match(help.stdout, /^Usage: svc <command> \[flags\]/);
    }),
);

Deno.test(
  "the program for arm64 passes svc doctor on its machine",
  { ignore },
  () =>
    withSandbox(async (box) => {
      const { stdout, stderr } = await box.tool(["doctor", "--data-dir", box.dataDir, "--json"]);
      assert.ok(stdout !== "", stderr);
      const { points } = JSON.parse(stdout) as {
        readonly points: readonly { readonly name: string; readonly state: string }[];
      };
      const states = Object.fromEntries(points.map(({ name, state }) => [name, state]));
      assert.equal(states.program, "ok", stdout);
      assert.equal(states["data directory"], "ok", stdout);
      assert.equal(states.esbuild, await startsPrograms() ? "ok" : "fail", stdout);
    }),
);

Deno.test(
  "the program for arm64 accepts a deployment and serves it with its rules",
  { ignore },
  () =>
    withSandbox(async (box) => {
      await copySite("plain", box.site);
      await Deno.writeTextFile(join(box.site, "svc.rules.toml"), RULES, { append: true });
      await box.start(["--trust-proxy", "127.0.0.0/8"]);
      await box.json(["init", "--create"]);
      await box.json(["deploy", "--prod"]);

      const page = await box.page(HOST, "/");
      assert.equal(page.status, 200);
      assert.deepEqual(page.body, await Deno.readFile(join(box.site, "index.html")));
      const moved = await box.page(HOST, "/touren/two-lakes");
      assert.deepEqual([moved.status, moved.headers.location], [301, "/walks/two-lakes"]);
      for (const [address, status] of [["88.198.0.1", 451], ["8.8.8.8", 200]] as const) {
        const headers = { "x-forwarded-for": address };
        assert.equal((await box.page(HOST, "/beds", { headers })).status, status, address);
      }
      assert.equal(await box.platform!.stop(), 0, box.platform!.errors());
    }),
);
