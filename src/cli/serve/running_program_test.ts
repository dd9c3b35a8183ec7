import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { findOldPrograms } from "./running_program.ts";
import { serviceFile } from "./service_file.ts";

const PROGRAM = "/opt/my svc/svc";

interface Process {
  readonly pid: number;
  readonly exe: string;
  readonly words: readonly string[];
  readonly group?: string;
  readonly cwd?: string;
}

/**
 * Finds old programs on a machine with these processes and with services that start these programs.
 */
async function find(
  processes: readonly Process[],
  { ofMachine, ofUser, os = "linux" }: {
    readonly ofMachine?: string;
    readonly ofUser?: string;
    readonly os?: typeof Deno.build.os;
  } = {},
) {
  const root = await Deno.makeTempDir({ prefix: "svc-running-" });
  const home = join(root, "home");
  const write = async (path: string, text: string) => {
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeTextFile(path, text);
  };
  try {
    for (const [program, isRoot] of [[ofMachine, true], [ofUser, false]] as const) {
      if (program === undefined) continue;
      const command = [program, "serve", "--port", "1"];
      const file = serviceFile({ command, folder: "/" }, { os, isRoot, home })!;
      await write(isRoot ? join(root, file.path) : file.path, file.text);
    }
    for (const { pid, exe, words, group = "/", cwd = "/work" } of processes) {
      const folder = join(root, "proc", `${pid}`);
      await write(join(folder, "cmdline"), `${words.join("\0")}\0`);
      await write(join(folder, "cgroup"), `0::${group}\n`);
      await Deno.symlink(exe, join(folder, "exe"));
      await Deno.symlink(cwd, join(folder, "cwd"));
    }
    const found = await findOldPrograms({
      path: PROGRAM,
      os,
      home,
      root,
      folder: "/work",
      processes: join(root, "proc"),
    });
    return found.map((old) =>
      old.kind === "service"
        ? [old.path.replace(root, ""), old.command]
        : [old.pid, old.command, ...old.leftOut]
    );
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

/** Returns the command that starts a platform with these flags and replaces another. */
const replace = (flags: string) => `'${PROGRAM}' serve ${flags}--replace --background`;
const REPLACE = replace("");

Deno.test("findOldPrograms() finds platforms of the program, and no other processes", async () => {
  const exe = `${PROGRAM} (deleted)`;
  const found = await find([
    { pid: 12, exe, words: ["svc", "serve", "--port", "1"] },
    { pid: 7, exe: PROGRAM, words: [PROGRAM, "--json", "serve"] },
    { pid: 13, exe, words: ["svc", "deploy", "serve"] },
    { pid: 14, exe: "/usr/bin/svc", words: ["svc", "serve"] },
    { pid: 15, exe: `${PROGRAM}.previous`, words: ["svc", "serve"] },
  ]);
  assert.deepEqual(found, [[7, REPLACE], [12, replace("--port 1 ")]]);
});

Deno.test("findOldPrograms() repeats a platform's flags, except secrets and start options", async () => {
  const words = (text: string) => [PROGRAM, ...text.split(" ")];
  const found = await find([
    {
      pid: 1,
      exe: PROGRAM,
      words: words("serve --data-dir a --replace --background"),
      cwd: "/srv",
    },
    { pid: 2, exe: PROGRAM, words: words("--cwd /x serve --json --asn=a;b"), cwd: "/srv" },
    {
      pid: 3,
      exe: PROGRAM,
      words: words("serve --bot-token s3cret --port 2 --smtp-url=smtp://u:p@h"),
    },
    { pid: 4, exe: PROGRAM, words: words("--token=s3cret serve --data-dir serve") },
  ]);
  assert.deepEqual(found, [
    [1, replace("--data-dir a --cwd /srv ")],
    [2, replace("--cwd /x '--asn=a;b' ")],
    [3, replace("--port 2 "), "--bot-token", "--smtp-url"],
    [4, replace("--data-dir serve "), "--token"],
  ]);
});

Deno.test("findOldPrograms() lists a service once, and ignores services of other programs", async () => {
  const exe = `${PROGRAM} (deleted)`;
  const words = ["svc", "serve"];
  const found = await find([
    { pid: 12, exe, words, group: "/system.slice/svc.service/svc-platform" },
    { pid: 13, exe, words, group: "/user.slice/session-1.scope" },
  ], { ofMachine: PROGRAM, ofUser: "/usr/local/bin/svc" });
  assert.deepEqual(found, [
    ["/etc/systemd/system/svc.service", "systemctl reload svc"],
    [13, REPLACE],
  ]);
});

Deno.test("findOldPrograms() finds user services and launchd services", async () => {
  assert.deepEqual(await find([], { ofUser: PROGRAM }), [
    ["/home/.config/systemd/user/svc.service", "systemctl --user reload svc"],
  ]);
  assert.deepEqual(await find([], { ofMachine: PROGRAM, ofUser: PROGRAM, os: "darwin" }), [
    ["/Library/LaunchDaemons/svc.serve.plist", "launchctl kickstart -k system/svc.serve"],
    [
      "/home/Library/LaunchAgents/svc.serve.plist",
      "launchctl kickstart -k gui/$(id -u)/svc.serve",
    ],
  ]);
});
