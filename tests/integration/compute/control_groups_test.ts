/**
 * Tests limits on kernel memory that does not belong to any process: socket buffers, which control
 * groups limit. The tests need control groups (version 2) that they are allowed to change.
 * `CGROUP_VM=<folder> deno task test:file tests/integration/compute/control_groups_test.ts`
 * provides such groups (scripts/in_cgroup2_vm.sh).
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { FILL_SOCKETS } from "../../../src/lib/_test_fill_sockets.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { findGroupPlace } from "../../../src/lib/control_groups.ts";
import { ROOT } from "../../../scripts/_source_files.ts";
import { FILES, LAYERS, MANIFEST } from "../../helpers/compute_site.ts";
import { withBuilds } from "../../helpers/git_builds.ts";
import { deploy } from "../../helpers/platform.ts";

const SERVER = `
import http.server, os
from fill import fill
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        fill(int(self.path.rpartition("/")[2] or 0))
        self.send_response(200)
        self.send_header("content-length", "4")
        self.end_headers()
        self.wfile.write(b"here")
http.server.HTTPServer((os.environ["HOST"], int(os.environ["PORT"])), Handler).serve_forever()
`;

const COMMAND_MANIFEST = {
  ...MANIFEST,
  layers: LAYERS.map((layer) =>
    layer.target !== "COMPUTE" ? layer : {
      ...layer,
      runtime: { engine: "command", command: "exec python3 server/server.py", memoryMb: 64 },
    }
  ),
};

/** Unit tests that also need control groups. */
const UNITS = [
  "src/lib/control_groups_test.ts",
  "src/runtime/process/start_process_test.ts",
  "src/platform/builds/runner/run_sandboxed_test.ts",
];

const place = findGroupPlace();
const problem = "problem" in place ? place.problem : undefined;

/** Starts a process in a control group, like the processes that a killed platform leaves behind. */
async function leaveGroup(folder: string) {
  const group = join(folder, "svc-4000000-1-1");
  await Deno.mkdir(group);
  const child = new Deno.Command("sleep", { args: ["1000"] }).spawn();
  await Deno.writeTextFile(join(group, "cgroup.procs"), String(child.pid), { create: false });
  return { group, ended: child.status };
}

const groupsIn = (folder: string): string[] =>
  [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => /^svc-\d/.test(name));

Deno.test({
  name: "kernel memory counts toward the memory limits of servers and builds" +
    (problem === undefined ? "" : ` (skipped: ${problem})`),
  ignore: problem !== undefined,
  fn: async () => {
    assert.ok("folder" in place);
    const { folder } = place;
    const left = await leaveGroup(folder);
    await withBuilds(async (platform) => {
      assert.equal((await left.ended).signal, "SIGKILL");
      assert.deepEqual(groupsIn(folder), []);

      await platform.api("POST", "/v1/projects", { json: { name: "shop" } });
      await deploy(platform, "shop", {
        manifest: COMMAND_MANIFEST,
        files: { ...FILES, "server/server.py": SERVER, "server/fill.py": FILL_SOCKETS },
      });
      const ask = async (count: number) =>
        (await platform.get("shop.localhost", `/api/${count}`)).status;
      assert.equal(await ask(100), 200);
      assert.equal(await ask(0), 200);
      assert.equal(await ask(1200), 502);
      const logs = await platform.api("GET", "/v1/projects/shop/logs?level=error");
      assert.match(JSON.stringify(logs.json), /The server ran out of memory/);
      await until(() => ask(0), (status) => status === 200);

      const { hook } = await platform.project("site", {
        buildCommand: "sh build.sh",
        outputDirectory: "out",
      });
      const build = async (count: number) =>
        await platform.build(hook, {
          "build.sh": `python3 fill.py ${count} && mkdir -p out && echo ok > out/index.html`,
          "fill.py": FILL_SOCKETS,
        });
      const over = await build(3500);
      assert.equal(over.error, "The build used more than 476.8 MiB of memory");
      assert.equal((await build(10)).status, "LIVE");
    }, {
      builds: { limits: { memoryBytes: 500_000_000, timeMs: 120_000 } },
      // The virtual machine's kernel has no Landlock.
      servers: { allowUnsandboxed: true },
    });
    assert.deepEqual(groupsIn(folder), []);
  },
});

Deno.test({
  name: "kernel memory counts toward the limits in a virtual machine (CGROUP_VM)",
  ignore: problem === undefined || Deno.env.get("CGROUP_VM") === undefined,
  fn: async () => {
    const { code, stdout } = await new Deno.Command(join(ROOT, "scripts", "in_cgroup2_vm.sh"), {
      args: [
        ...[Deno.execPath(), "test", "-A", "--no-check", "--preload", "tests/_preload.ts"],
        ...[...UNITS, import.meta.filename!],
      ],
      cwd: ROOT,
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stdout).slice(-4000));
  },
});
