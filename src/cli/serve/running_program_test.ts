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
}

/** Finds old programs on a machine with these processes and the services of these programs. */
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
    for (const { pid, exe, words, group = "/" } of processes) {
      const folder = join(root, "proc", `${pid}`);
      await write(join(folder, "cmdline"), `${words.join("\0")}\0`);
      await write(join(folder, "cgroup"), `0::${group}\n`);
      await Deno.symlink(exe, join(folder, "exe"));
    }
    const found = await findOldPrograms({
      ...{ path: PROGRAM, os, home, root, processes: join(root, "proc") },
    });
    return found.map((old) =>
      old.kind === "service" ? [old.path.replace(root, ""), old.command] : [old.pid, old.command]
    );
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

const REPLACE = `'${PROGRAM}' serve --replace --background`;

Deno.test("findOldPrograms() finds platforms of the program, and nothing else that runs", async () => {
  const exe = `${PROGRAM} (deleted)`;
  const found = await find([
    { pid: 12, exe, words: ["svc", "serve", "--port", "1"] },
    { pid: 7, exe: PROGRAM, words: [PROGRAM, "--json", "serve"] },
    { pid: 13, exe, words: ["svc", "deploy", "serve"] },
    { pid: 14, exe: "/usr/bin/svc", words: ["svc", "serve"] },
    { pid: 15, exe: `${PROGRAM}.previous`, words: ["svc", "serve"] },
  ]);
  assert.deepEqual(found, [[7, REPLACE], [12, REPLACE]]);
});

Deno.test("findOldPrograms() names a service once, and not another program's", async () => {
  const exe = `${PROGRAM} (deleted)`;
  const words = ["svc", "serve"];
  const found = await find([
    { pid: 12, exe, words, group: "/system.slice/svc.service" },
    { pid: 13, exe, words, group: "/user.slice/session-1.scope" },
  ], { ofMachine: PROGRAM, ofUser: "/usr/local/bin/svc" });
  assert.deepEqual(found, [
    ["/etc/systemd/system/svc.service", "systemctl reload svc"],
    [13, REPLACE],
  ]);
});

Deno.test("findOldPrograms() names the services of a user and of launchd", async () => {
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
