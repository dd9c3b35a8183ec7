import assert from "node:assert/strict";
import { join } from "node:path";
import { runCli, type RunOptions } from "../_test_run.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";

const RULES = `schemaVersion = "EDGE_RULE_SET_V1"
[[rules]]
id = "old"
condition = { path = { type = "prefix", value = "/old/" } }
action = { type = "redirect", target = "/new/", statusCode = 301 }
`;

async function inProject(test: (folder: string) => Promise<void>): Promise<void> {
  await inTestFolder(async (folder) => {
    await Deno.writeTextFile(join(folder, "index.html"), "<h1>Kestrel</h1>");
    await Deno.writeTextFile(join(folder, "svc.rules.toml"), RULES);
    await test(folder);
  });
}

/** Runs `svc preview`, calls `use` with the output, and then stops it. */
async function preview(
  folder: string,
  argv: readonly string[],
  { use = () => Promise.resolve(), ...options }: RunOptions & {
    readonly use?: (printed: string) => Promise<void>;
  } = {},
) {
  const stop = new AbortController();
  let used: Promise<void> | undefined;
  const run = await runCli(["preview", ...argv], {
    cwd: folder,
    env: { HOME: folder },
    now: () => Date.now(),
    signal: stop.signal,
    onStdout: (printed) => {
      used = use(printed).finally(() => stop.abort(new DOMException("Stop", "AbortError")));
    },
    ...options,
  });
  await used;
  return run;
}

Deno.test("preview serves the site on every host, with its rules but without the API", () =>
  inProject(async (folder) => {
    const found: unknown[] = [];
    const run = await preview(folder, ["--port", "0", "--json"], {
      async use(printed) {
        const { port, files, functions, environment } = JSON.parse(printed);
        assert.deepEqual({ files, functions, environment }, {
          files: 1,
          functions: [],
          environment: null,
        });
        for (const path of ["/", "/old/x", "/v1/health", "/svc.rules.toml"]) {
          const response = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: "manual" });
          found.push([response.status, response.headers.get("location")]);
          await response.body?.cancel();
        }
      },
    });
    assert.equal(run.code, 0, run.stderr);
    assert.deepEqual(found, [[200, null], [301, "/new/"], [404, null], [404, null]]);
  }));

Deno.test("preview uses the next free port, but not in JSON mode", () =>
  inProject(async (folder) => {
    const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = taken.addr;
    try {
      const failed = await preview(folder, ["--port", String(port), "--json"]);
      assert.deepEqual([failed.code, JSON.parse(failed.stdout).code], [1, "port_in_use"]);
      const moved = await preview(folder, ["--port", String(port)], {
        async use(printed) {
          assert.notEqual(new URL(printed).port, String(port));
          assert.match(await (await fetch(printed.trim())).text(), /Kestrel/);
        },
      });
      assert.equal(moved.code, 0, moved.stderr);
      assert.match(moved.stderr, new RegExp(`Port ${port} is in use. Using \\d+`));
    } finally {
      taken.close();
    }
  }));

Deno.test("preview of a project without output reports how to build it", () =>
  inProject(async (folder) => {
    await Deno.remove(join(folder, "index.html"));
    const pack = { scripts: { build: "vite build" }, devDependencies: { vite: "7" } };
    await Deno.writeTextFile(join(folder, "package.json"), JSON.stringify(pack));
    const run = await preview(folder, ["--json"]);
    const { code, next } = JSON.parse(run.stdout);
    assert.deepEqual([run.code, code, next?.[0]], [1, "output_missing", "svc build --json"]);
  }));
