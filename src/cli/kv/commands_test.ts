/** Tests `svc kv` on a folder's store, which another process such as `svc dev` may have open. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { openLocalKv } from "../../kv/mod.ts";
import { personWho, runCli, type RunOptions } from "../_test_run.ts";

interface Bench {
  readonly folder: string;
  run(argv: readonly string[], options?: RunOptions): ReturnType<typeof runCli>;
  /** Runs in JSON mode, expects success and returns the one object. */
  json(argv: readonly string[], options?: RunOptions): Promise<Record<string, unknown>>;
}

async function withFolder(test: (bench: Bench) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-cli-kv-" });
  const env = { HOME: folder };
  const run: Bench["run"] = (argv, options) =>
    runCli(["kv", ...argv], { cwd: folder, env, ...options });
  try {
    await test({
      folder,
      run,
      async json(argv, options) {
        const { code, stdout, stderr } = await run([...argv, "--json"], options);
        assert.equal(code, 0, stderr);
        return JSON.parse(stdout);
      },
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("kv get returns what kv set stored: text, JSON, and bytes from stdin", () =>
  withFolder(async ({ run, json }) => {
    const binary = Uint8Array.of(0xff, 0x00, 0x0a, 0xfe);
    const rows: readonly (readonly [string[], RunOptions, unknown, string, string])[] = [
      [["a", "hello\n"], {}, "hello\n", "text", "text/plain; charset=utf-8"],
      [["a", '{"feet":40}'], {}, { feet: 40 }, "json", "application/json"],
      [["a"], { stdin: "[1,2]\n" }, [1, 2], "json", "application/json"],
      [["a"], { stdin: binary }, binary.toBase64(), "base64", "application/octet-stream"],
      [["a", "5"], {}, "5", "text", "text/plain; charset=utf-8"],
      [["a", "5", "--type", "json"], {}, 5, "json", "application/json"],
      [["a", "{}", "--type", "text"], {}, "{}", "text", "text/plain; charset=utf-8"],
      [["a"], { stdin: "" }, "", "text", "text/plain; charset=utf-8"],
    ];
    for (const [argv, options, value, encoding, contentType] of rows) {
      const set = await json(["set", ...argv], options);
      assert.equal(set.contentType, contentType);
      const got = await json(["get", "a"]);
      assert.deepEqual([got.value, got.encoding, got.contentType], [value, encoding, contentType]);
      assert.deepEqual([got.version, got.size, got.expiresAt], [set.version, set.size, null]);
    }
    await run(["set", "a"], { stdin: "  as it\nis\n" });
    assert.equal((await run(["get", "a"])).stdout, "  as it\nis\n");
  }));

Deno.test("kv get escapes a value that could control the terminal", () =>
  withFolder(async ({ run }) => {
    await run(["set", "a", "\x1b[2Jb"]);
    assert.equal((await run(["get", "a"], { terminal: true })).stdout, "\\x1b[2Jb\n");
  }));

Deno.test("kv list streams keys, with a prefix and a limit; kv remove deletes one", () =>
  withFolder(async ({ folder, run, json }) => {
    const dataDir = join(folder, ".svc", "data");
    {
      using local = await openLocalKv(dataDir);
      const value = { bytes: new Uint8Array(3), contentType: "text/plain" };
      for (let count = 0; count < 1200; count++) {
        await local.store.set(local.namespace, `boats/${String(count).padStart(4, "0")}`, value);
      }
    }
    await run(["set", "harbour", "x", "--ttl", "60"]);
    const written: string[] = [];
    const all = await run(["list"], { onStdout: (text) => void written.push(text) });
    assert.equal(all.stdout.split("\n").length - 1, 1201);
    assert.equal(written.length, 1201);
    assert.match(all.stdout, /^boats\/0000\t3 B\n[^]*\nharbour\t1 B\texpires \d{4}-.*Z\n$/);
    const { items } = await json(["list", "--prefix", "boats/11", "--limit", "2"]);
    assert.deepEqual((items as { key: string }[]).map(({ key }) => key), [
      "boats/1100",
      "boats/1101",
    ]);
    assert.deepEqual(await json(["remove", "harbour"]), { key: "harbour", removed: true });
    assert.deepEqual(await json(["remove", "harbour"]), { key: "harbour", removed: false });
    assert.deepEqual(await json(["list", "--prefix", "harbour"]), { items: [] });
  }));

Deno.test("kv clear asks for confirmation unless run with --force", () =>
  withFolder(async ({ run, json }) => {
    for (const key of ["a", "b"]) await run(["set", key, "x"]);
    const unasked = await run(["clear", "--json"]);
    assert.equal(unasked.code, 1);
    assert.match(unasked.stdout, /"action_required"[^]*svc kv clear --json --force/);
    const no = personWho([false]);
    assert.equal((await run(["clear"], { prompter: no })).code, 1);
    assert.deepEqual(no.asked, ["Remove all keys of this project's local store?"]);
    assert.equal((await json(["list"]) as { items: unknown[] }).items.length, 2);
    assert.deepEqual(await json(["clear", "--force"]), { removed: 2 });
    assert.deepEqual(await json(["list"]), { items: [] });
  }));

Deno.test("kv shares dev.data_dir with other processes that have it open, and reading creates nothing", () =>
  withFolder(async ({ folder, json, run }) => {
    await Deno.writeTextFile(join(folder, "svc.toml"), '[dev]\ndata_dir = "local/data"\n');
    const inner = join(folder, "src");
    await Deno.mkdir(inner);
    for (const argv of [["list"], ["remove", "a"], ["clear", "--force"]]) {
      await json(argv, { cwd: inner });
    }
    assert.equal((await run(["get", "a"])).code, 1);
    assert.ok(!await Deno.stat(join(folder, "local")).then(() => true, () => false));

    using dev = await openLocalKv(join(folder, "local", "data"));
    await json(["set", "a", "from the CLI"], { cwd: inner });
    const seen = await dev.store.get(dev.namespace, "a");
    assert.equal(new TextDecoder().decode(seen?.bytes), "from the CLI");
    await dev.store.set(dev.namespace, "a", {
      bytes: new TextEncoder().encode("from dev"),
      contentType: "text/plain",
    });
    assert.equal((await json(["get", "a"])).value, "from dev");
  }));

Deno.test("kv commands report errors in the command line", () =>
  withFolder(async ({ run }) => {
    const rows: readonly (readonly [string[], RegExp, RunOptions?])[] = [
      [["set", "", "x"], /Keys must be 1 to 512 bytes/],
      [["get", "x".repeat(513)], /Keys must be 1 to 512 bytes/],
      [["list", "--prefix", "é".repeat(300)], /Prefixes must be at most 512 bytes/],
      [["set", "a", "x", "--ttl", "0"], /whole number from 1 to 31536000/],
      [["set", "a", "{", "--type", "json"], /The value is not json: It is not JSON/],
      [["set", "a"], /The value is larger than 512 KiB/, { stdin: new Uint8Array(512 * 1024 + 1) }],
      [["set", "a"], /No value: pass it as an argument or pipe it in/, { terminal: true }],
    ];
    for (const [argv, message, options] of rows) {
      const { code, stderr } = await run(argv, options);
      assert.equal(code, 2, stderr);
      assert.match(stderr, message);
    }
    const { code, stderr } = await run(["get", "nobody"]);
    assert.equal(code, 1);
    assert.match(stderr, /The local store has no key nobody/);
  }));
