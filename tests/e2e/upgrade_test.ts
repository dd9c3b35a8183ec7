/**
 * Runs the compiled program's `svc upgrade` as a process, over HTTP. The program replaces its own
 * file. Unit tests cover the decisions that `svc upgrade` makes. Here, the result must be a working
 * program.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { cleanEnvironment } from "../../scripts/_program.ts";
import { assertAnswers } from "../../src/cli/_test_answers.ts";
import { DATA_FORMAT } from "../../src/lib/data_format.ts";
import { flipBit, type Releases, startReleases } from "../../src/release/_test_releases.ts";
import { until } from "../../src/lib/_test_until.ts";
import { proxyPlace } from "../helpers/connect_proxy.ts";
import { mountDisk } from "../helpers/small_disk.ts";
import { commandOf, isInRoot, programFile } from "../helpers/empty_root.ts";
import { startOnTerminal } from "../helpers/terminal.ts";
import { patchProgram } from "../helpers/patched_program.ts";

const BINARY = programFile();
/** Whether this user is allowed to mount disks. */
const CAN_MOUNT = Deno.uid() === 0;
const [OLD, NEW] = ["0.1.1", "0.2.0"];
const FOLDER = `/download/v${NEW}`;
const GZ = `${FOLDER}/svc-${NEW}-${Deno.build.target}.gz`;
const DAY_MS = 24 * 60 * 60 * 1000;
/** A user and group that own nothing. */
const NOBODY = 65_534;

interface Installation {
  readonly home: string;
  readonly path: string;
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Outcome>;
  /** Returns the same installation, run by a user who owns none of its files. */
  readonly asNobody: () => Installation;
  version(): Promise<string>;
}

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function runAt(
  path: string,
  args: readonly string[],
  env: Record<string, string>,
  user?: number,
): Promise<Outcome> {
  const { code, stdout, stderr } = await new Deno.Command(path, {
    args: [...args],
    env,
    clearEnv: true,
    stdin: "null",
    ...(user === undefined ? {} : { uid: user, gid: user }),
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

function installation(home: string, path: string, place: string, user?: number): Installation {
  const command = commandOf(path);
  const own = { ...cleanEnvironment(home), SVC_RELEASES_URL: place, ...command.env };
  const run = (args: readonly string[], env = {}) =>
    runAt(command.program, args, { ...own, ...env }, user);
  const asNobody = () => installation(home, path, place, NOBODY);
  return {
    home,
    path,
    run,
    asNobody,
    version: async () => (await run(["--version"])).stdout.trim(),
  };
}

/** Installs the old program in a separate folder for a test step. */
type Install = (folder?: string) => Promise<Installation>;

async function refuses(box: Installation, says: RegExp, args: readonly string[] = []) {
  const { code, stderr } = await box.run(["upgrade", ...args]);
  assert.equal(code, 1, stderr);
  assert.match(stderr, says);
  assert.equal(await box.version(), OLD);
  const left = [...Deno.readDirSync(dirname(box.path))].map(({ name }) => name);
  assert.deepEqual(left.filter((name) => name !== "home" && name !== ".svc.upgrade.lock"), ["svc"]);
}

/** Returns the beginning of a program that is linked for a machine that does not exist. */
function ofAnotherMachine(program: Uint8Array): Uint8Array {
  const MACHINE_AT = 18;
  const start = program.slice(0, 200_000);
  start[MACHINE_AT] = 0xf3;
  start[MACHINE_AT + 1] = 0x7f;
  return start;
}

/** Runs a command line in its own terminal. Returns its output. */
async function inTerminal(box: Installation, line: string, env: Record<string, string>) {
  const command = commandOf(box.path);
  const shell = `'${command.program}' ${line}`;
  const own = { ...env, ...command.env };
  const { stdout } = await runAt("script", ["-qec", shell, "/dev/null"], own);
  return stdout;
}

async function withPlace(
  test: (releases: Releases, install: Install) => Promise<void>,
): Promise<void> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-upgrade-" }));
  await using releases = await startReleases();
  const key = releases.publicKey;
  const old = await patchProgram(BINARY, { key, version: OLD });
  await releases.publish({
    version: NEW,
    program: await patchProgram(BINARY, { key, version: NEW }),
  });
  let count = 0;
  const install = async (folder = join(root, `${++count}`)) => {
    const path = join(folder, "svc");
    await Deno.mkdir(join(root, "home"), { recursive: true });
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeFile(path, old, { mode: 0o755 });
    return installation(join(root, "home"), path, releases.place);
  };
  try {
    await test(releases, install);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test({
  name: "svc upgrade replaces the compiled program and always leaves a working one",
  ignore: BINARY === "",
  fn: (t) =>
    withPlace(async (releases, install) => {
      const box = await install();
      await t.step("a changed signature, manifest or program is refused", async () => {
        for (const path of [`${FOLDER}/release.json.sig`, `${FOLDER}/release.json`, GZ]) {
          releases.change(path, (bytes) => flipBit(bytes, -9));
          await refuses(box, /Cannot trust/);
          releases.change(path, (bytes) => flipBit(bytes, -9));
        }
      });

      await t.step("a broken connection changes nothing", async () => {
        releases.cutAfter = 1_000_000;
        await refuses(box, /the connection failed after \d+ bytes/);
        releases.cutAfter = undefined;
      });

      await t.step({
        name: "a full disk changes nothing",
        ignore: !CAN_MOUNT,
        fn: async () => {
          const folder = join(dirname(box.path), "..", "disk");
          await using _disk = await mountDisk(folder, 180);
          const small = await install(folder);
          await refuses(small, /the disk is full/);
        },
      });

      await t.step({
        name: "a read-only folder changes nothing",
        ignore: !CAN_MOUNT,
        fn: async () => {
          const folder = join(dirname(box.path), "..", "sealed");
          await using _disk = await mountDisk(folder, 200);
          const sealed = await install(folder);
          await new Deno.Command("mount", { args: ["-o", "remount,ro", folder] }).output();
          await refuses(sealed, /the file system is read-only/);
        },
      });

      await t.step({
        name: "a folder to which only another user can write changes nothing",
        // A separate root file system requires root privileges.
        ignore: !CAN_MOUNT || isInRoot(),
        fn: async () => {
          await Deno.chmod(dirname(dirname(box.path)), 0o755);
          const other = await install();
          await Deno.chmod(dirname(other.path), 0o755);
          await refuses(other.asNobody(), /Cannot replace .*: this user has no permission/);
        },
      });

      await t.step("a program that a package manager installed is not changed", async () => {
        const owned = await install(join(dirname(box.path), "..", "node_modules", "svc"));
        await refuses(owned, /npm install --global svc@latest/);
      });

      await t.step("upgrades use a proxy", async () => {
        const asked: string[] = [];
        await using proxy = Deno.serve(
          { hostname: "127.0.0.1", port: 0, onListen() {} },
          (request) => {
            asked.push(request.url);
            return new Response("from the proxy", { status: 502 });
          },
        );
        const { code, stderr } = await box.run(["upgrade"], {
          SVC_RELEASES_URL: "http://releases.example/svc",
          HTTP_PROXY: `http://127.0.0.1:${proxy.addr.port}`,
        });
        assert.equal(code, 1);
        assert.match(stderr, /the server responded with 502/);
        assert.deepEqual(asked, ["http://releases.example/svc/latest/download/release.json"]);
      });

      await t.step("a whole upgrade works through a proxy that sees only the host", async () => {
        const behind = await install();
        const folder = dirname(dirname(behind.path));
        const host = "releases.example";
        await using place = await proxyPlace(releases.place, { host, folder });
        const { code, stderr } = await behind.run(["upgrade"], {
          ...place.env,
          SVC_RELEASES_URL: `https://${host}`,
        });
        assert.equal(code, 0, stderr);
        assert.equal(await behind.version(), NEW);
        assert.deepEqual([...new Set(place.asked)], [`${host}:443`]);
      });

      await t.step("upgrade notices appear once in a terminal, and never elsewhere", async () => {
        const env = {
          ...cleanEnvironment(box.home),
          SVC_RELEASES_URL: releases.place,
          SVC_API_URL: "http://127.0.0.1:1",
        };
        const known = join(box.home, ".cache", "svc", "latest_release.json");
        const command = (more = {}) => inTerminal(box, "completion bash", { ...env, ...more });
        await command({ CI: "1" });
        await assert.rejects(Deno.stat(known), Deno.errors.NotFound);
        assert.doesNotMatch(await command(), /is available/);
        await until(async () => (await Deno.readTextFile(known).catch(() => "")).includes(NEW));
        assert.doesNotMatch(await command({ CI: "1" }), /is available/);
        assert.doesNotMatch(await inTerminal(box, "whoami --json", env), /is available/);
        const piped = await box.run(["completion", "bash"]);
        assert.doesNotMatch(piped.stdout + piped.stderr, /is available/);
        assert.match(
          await command(),
          /svc 0\.2\.0 is available \(you have 0\.1\.1\)\. Run svc upgrade/,
        );
        assert.doesNotMatch(await command(), /is available/);
        const state = JSON.parse(await Deno.readTextFile(known));
        const aged = { ...state, noticedAt: state.noticedAt - DAY_MS };
        await Deno.writeTextFile(known, JSON.stringify(aged));
        assert.doesNotMatch(await command({ CI: "1" }), /is available/);
        assert.match(await command(), /is available/);
        assert.doesNotMatch(await command(), /is available/);
      });

      await t.step({
        name: "the progress bar moves during the download, but only in terminals",
        ignore: isInRoot(),
        fn: async () => {
          const slow = await install();
          let isSlow = true;
          releases.isSlow = () => isSlow;
          const terminal = startOnTerminal(["upgrade"], {
            cwd: slow.home,
            program: [slow.path],
            env: { SVC_RELEASES_URL: releases.place },
          });
          const filled = (count: number) => new RegExp(`0\\.2\\.0 █{${count},}░+ 0/1 files`);
          await terminal.shows(/0\.2\.0 ░+ 0\/1 files/);
          await terminal.shows(filled(1));
          await terminal.shows(filled(2));
          isSlow = false;
          assert.equal(await terminal.ended, 0, terminal.screen());
          releases.isSlow = undefined;
          assert.equal(await slow.version(), NEW);
          const { stdout, stderr } = await (await install()).run(["upgrade"]);
          // deno-lint-ignore no-control-regex -- only a terminal gets control characters
          assert.doesNotMatch(stdout + stderr, /[█░\r\x1b]/);
        },
      });

      await t.step("svc upgrade shows its progress and switches between versions", async () => {
        const shown = await inTerminal(box, "upgrade", {
          ...cleanEnvironment(box.home),
          SVC_RELEASES_URL: releases.place,
        });
        assert.match(shown, /Downloading svc 0\.2\.0 █*░* 0\/1 files/);
        assert.match(shown, /Upgraded svc 0\.1\.1 to 0\.2\.0/);
        assert.equal(await box.version(), NEW);
        const again = await box.run(["upgrade", "--json"]);
        assertAnswers(["upgrade"], again.stdout);
        assert.equal(JSON.parse(again.stdout).changed, false);
        assert.equal((await box.run(["upgrade", "--rollback"])).code, 0);
        assert.equal(await box.version(), OLD);
        assert.equal((await box.run(["upgrade", "--rollback"])).code, 0);
        assert.equal(await box.version(), NEW);
      });

      await t.step(
        "svc upgrade never installs an older program that cannot read the data",
        async () => {
          const data = join(dirname(dirname(box.path)), "data", "svc");
          await Deno.mkdir(data, { recursive: true });
          const mark = { format: DATA_FORMAT + 1, program: NEW };
          await Deno.writeTextFile(join(data, "format.json"), JSON.stringify(mark));
          const { code, stderr } = await box.run(["upgrade", "--rollback"], {
            XDG_DATA_HOME: dirname(data),
          });
          assert.equal(code, 1);
          assert.match(stderr, /it reads data format \d+, but the data directory has format/);
          assert.equal(await box.version(), NEW);
        },
      );

      await t.step({
        name: "a running platform continues, and the command that restarts it is shown",
        // The program in its own root file system is a different file from the program that this
        // process sees.
        ignore: Deno.build.os !== "linux" || isInRoot(),
        fn: async () => {
          const busy = await install();
          const data = join(dirname(busy.path), "home");
          const platform = new Deno.Command(busy.path, {
            args: ["serve", "--port", "0", "--data-dir", data],
            env: cleanEnvironment(box.home),
            clearEnv: true,
            stdin: "null",
            stderr: "null",
            stdout: "piped",
          }).spawn();
          const said = platform.stdout.getReader();
          try {
            await said.read();
            const { code, stdout, stderr } = await busy.run(["upgrade", "--json"]);
            assert.equal(code, 0, stderr);
            const [old] = JSON.parse(stdout).restart;
            const { command, ...others } = old;
            assert.deepEqual(others, { kind: "process", pid: platform.pid, leftOut: [] });
            assert.ok(
              command.startsWith(`${busy.path} serve --port 0 --data-dir ${data} `),
              command,
            );
            assert.ok(command.endsWith(" --replace --background"), command);
            assert.match(stderr, /still runs the old version\. Restart it .* with/);
            assert.equal(await busy.version(), NEW);
          } finally {
            platform.kill("SIGTERM");
            await said.cancel();
            await platform.status;
          }
        },
      });

      await t.step("two upgrades at the same time leave the new program installed", async () => {
        const both = await install();
        const outcomes = await Promise.all([both.run(["upgrade"]), both.run(["upgrade"])]);
        assert.ok(outcomes.some(({ code }) => code === 0), outcomes[0]!.stderr);
        for (const { code, stderr } of outcomes) {
          if (code !== 0) assert.match(stderr, /Another svc upgrade/);
        }
        assert.equal(await both.version(), NEW);
        assert.equal((await both.run(["upgrade", "--rollback"])).code, 0);
        assert.equal(await both.version(), OLD);
      });

      await t.step("a program for another operating system is not installed", async () => {
        const foreign = await install();
        const target = "aarch64-pc-windows-msvc";
        const program = ofAnotherMachine(await Deno.readFile(foreign.path));
        await releases.publish({ version: "0.3.0", program, target });
        await refuses(foreign, /has no program for .*, only for aarch64-pc-windows-msvc/);
        await releases.publish({ version: "0.3.1", program });
        await refuses(foreign, /svc 0\.3\.1 does not start on this machine/);
      });

      await t.step("only --force and --version install an older program", async () => {
        await releases.publish({
          version: OLD,
          program: await Deno.readFile(box.path + ".previous"),
        });
        assert.equal(JSON.parse((await box.run(["upgrade", "--json"])).stdout).changed, false);
        assert.equal(await box.version(), NEW);
        assert.equal((await box.run(["upgrade", "--force"])).code, 0);
        assert.equal(await box.version(), OLD);
        assert.equal((await box.run(["upgrade", "--version", `v${NEW}`])).code, 0);
        assert.equal(await box.version(), NEW);
      });
    }),
});
