/** `svc serve` must read its settings from flags, variables and a file. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { hear } from "../../../scripts/_process.ts";
import { programCommand } from "../../../scripts/_program.ts";
import { makeTestFolder } from "../../../src/lib/_test_folder.ts";
import { start } from "../../helpers/platform.ts";

const METRICS_TOKEN = "metrics-token-of-the-file";

const FILE = `metrics-token = "${METRICS_TOKEN}"
base-domain = "of.file"
keep-days = 7
keys-file = "keys.json"
`;

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await makeTestFolder("svc-settings-");
  await run(folder).finally(() => Deno.remove(folder, { recursive: true }));
}

function serve(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return hear([...programCommand(), "serve", ...words], { env: { NO_COLOR: "1", ...env } });
}

Deno.test("svc serve prints its settings with their sources, and starts with them", () =>
  inFolder(async (folder) => {
    const file = join(folder, "serve.toml");
    await Deno.writeTextFile(file, FILE, { mode: 0o600 });
    const env = { SVC_SERVE_CONFIG: file, SVC_SERVE_BASE_DOMAIN: "of.variable" };
    const words = ["--print-config", "--data-dir", folder, "--head-timeout", "7"];
    const { code, stdout } = await serve(words, env);
    assert.equal(code, 0);
    for (
      const line of [
        'base-domain = "of.variable" # SVC_SERVE_BASE_DOMAIN',
        `keep-days = 7 # ${file}:3`,
        `keys-file = "${join(folder, "keys.json")}" # ${file}:4`,
        "head-timeout = 7 # --head-timeout",
        "# port = 8787 # default",
        '# build-memory-mb = "4GiB" # default',
        `# metrics-token is set by ${file}:1`,
      ]
    ) assert.ok(stdout.split("\n").includes(line), `${line}\n${stdout}`);
    assert.ok(!stdout.includes(METRICS_TOKEN));
    const platform = await start(join(folder, "data"), {
      env: { ...Deno.env.toObject(), SVC_SERVE_CONFIG: file },
    });
    try {
      const metrics = new URL("/metrics", `http://127.0.0.1:${platform.port}`);
      const asked = (token: string) =>
        fetch(metrics, { headers: { authorization: `Bearer ${token}` } }).then(async (response) => {
          await response.body?.cancel();
          return response.status;
        });
      assert.deepEqual([await asked(METRICS_TOKEN), await asked("another")], [200, 403]);
      assert.ok(await Deno.stat(join(folder, "keys.json")));
    } finally {
      await platform.shutdown();
    }
  }));

Deno.test("svc serve reports all invalid settings at once", () =>
  inFolder(async (folder) => {
    const file = join(folder, "serve.toml");
    await Deno.writeTextFile(file, `portt = 1\nport = "80"\n${FILE}`, { mode: 0o644 });
    const words = ["--config", file, "--json", "--data-dir", join(folder, "data")];
    const { code, stdout } = await serve(words, { SVC_SERVE_HEAD_TIMEOUT: "soon" });
    assert.equal(code, 1);
    const answer = JSON.parse(stdout);
    assert.equal(answer.code, "config_invalid");
    const lines = answer.diagnostics.map((each: { position: { line: number }; code: string }) => [
      each.position.line,
      each.code,
    ]);
    assert.deepEqual(lines, [[1, "unknown_key"], [2, "wrong_type"], [3, "open_secret"]]);
    assert.match(answer.problems[0].message, /^SVC_SERVE_HEAD_TIMEOUT: Must be a whole number/);
    const doctor = await hear([...programCommand(), "doctor", "--config", file, "--json"]);
    assert.deepEqual(JSON.parse(doctor.stdout).diagnostics, answer.diagnostics);
    const alone = await serve(["--json", "--tls-cert", "cert.pem", "--data-dir", folder]);
    assert.equal(alone.code, 2);
    assert.match(JSON.parse(alone.stdout).error, /--tls-key together with --tls-cert/);
  }));

Deno.test("svc serve --help shows common flags in groups, and --help all shows the other flags", async () => {
  const [few, all] = [await serve(["--help"]), await serve(["--help", "all"])];
  assert.match(few.stdout, /^Addresses and data:\n +--host/m);
  assert.match(few.stdout, /more flags: svc serve --help all/);
  assert.ok(!few.stdout.includes("--head-timeout"));
  assert.match(all.stdout, /^Connections:[^]*--head-timeout <s> [^]*\(default: 15\)/m);
});
