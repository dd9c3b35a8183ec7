import assert from "node:assert/strict";
import { join } from "node:path";
import { serviceFile, type ServicePlace } from "./service_file.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";

const SERVICE = {
  command: ["/opt/my svc/svc", "serve", "--data-dir", "/data/50%", "--host", 'a"b$c\\d'],
  folder: "/home/ada",
};
const LINUX: ServicePlace = { os: "linux", isRoot: false, home: "/home/ada" };

Deno.test("serviceFile() quotes characters that systemd would interpret", () => {
  const { path, text, next } = serviceFile(SERVICE, LINUX)!;
  assert.equal(path, "/home/ada/.config/systemd/user/svc.service");
  const [line] = /^ExecStart=.*$/m.exec(text)!;
  assert.equal(
    line,
    'ExecStart="/opt/my svc/svc" serve --data-dir /data/50%% --host "a\\"b$$c\\\\d"',
  );
  const [reload] = /^ExecReload=.*$/m.exec(text)!;
  assert.equal(reload, `${line.replace("Start", "Reload")} --replace --background`);
  assert.match(text, /^Type=notify\nNotifyAccess=all$/m);
  assert.equal(next[1], "systemctl --user enable --now svc");
});

Deno.test("serviceFile() creates a system service for root", () => {
  const { path, text } = serviceFile(SERVICE, { ...LINUX, isRoot: true })!;
  assert.equal(path, "/etc/systemd/system/svc.service");
  assert.match(text, /^WantedBy=multi-user\.target$/m);
});

Deno.test("serviceFile() escapes characters that XML would interpret", () => {
  const service = { ...SERVICE, command: ["/bin/svc", "serve", "--host", "<a&b>"] };
  const { path, text } = serviceFile(service, { ...LINUX, os: "darwin", home: "/Users/ada" })!;
  assert.equal(path, "/Users/ada/Library/LaunchAgents/svc.serve.plist");
  assert.match(text, /<string>&lt;a&amp;b&gt;<\/string>/);
});

Deno.test("serviceFile() quotes the path in the command that starts the service", () => {
  const { next } = serviceFile(SERVICE, { ...LINUX, os: "darwin", home: "/Users/ada b" })!;
  assert.deepEqual(next, [
    "launchctl bootstrap gui/$(id -u) '/Users/ada b/Library/LaunchAgents/svc.serve.plist'",
  ]);
});

Deno.test("serviceFile() does not support services on Windows", () => {
  assert.equal(serviceFile(SERVICE, { ...LINUX, os: "windows" }), undefined);
});

const hasVerifier = await new Deno.Command("systemd-analyze", { args: ["--version"] }).output()
  .then(({ success }) => success, () => false);

Deno.test({
  name: "systemd accepts the unit from serviceFile()",
  ignore: !hasVerifier,
  fn: async () => {
    await inTestFolder(async (folder) => {
      const service = { command: ["/bin/sh", "-c", "echo 50% $HOME"], folder };
      const path = join(folder, "svc.service");
      const { text } = serviceFile(service, { ...LINUX, isRoot: true })!;
      await Deno.writeTextFile(path, text, { mode: 0o644 });
      const { stderr } = await new Deno.Command("systemd-analyze", { args: ["verify", path] })
        .output();
      const said = new TextDecoder().decode(stderr).split("\n")
        .filter((line) => line.includes(path));
      assert.deepEqual(said, []);
    });
  },
});

const READ_PLIST =
  "import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.argv[1].encode())))";
const hasPython = await new Deno.Command("python3", { args: ["--version"] }).output()
  .then(({ success }) => success, () => false);

Deno.test({
  name: "a property list parser reads back the command from serviceFile()",
  ignore: !hasPython,
  fn: async () => {
    const command = [
      "/opt/my svc/svc",
      "serve",
      "--host",
      `<a&b>"'`,
      "--data-dir",
      "/Daten/Grö\u00dfe",
    ];
    const { text } = serviceFile({ ...SERVICE, command }, { ...LINUX, os: "darwin" })!;
    const { success, stdout } = await new Deno.Command("python3", {
      args: ["-c", READ_PLIST, text],
    }).output();
    assert.ok(success);
    const read = JSON.parse(new TextDecoder().decode(stdout));
    assert.deepEqual(read.ProgramArguments, command);
    assert.equal(read.Label, "svc.serve");
    assert.deepEqual(read.KeepAlive, { SuccessfulExit: false });
    assert.equal(read.ExitTimeOut, 90);
    assert.deepEqual(read.SoftResourceLimits, { NumberOfFiles: 10_240 });
  },
});
