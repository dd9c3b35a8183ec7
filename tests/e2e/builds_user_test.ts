/**
 * Builds on a platform that an ordinary user runs. If the test runs as root, it switches to another
 * user, who can read only the compiled program.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Command, programCommand, startProgram } from "../../scripts/_program.ts";
import { markedProcesses } from "../../src/lib/marked_processes.ts";
import { makeRepository } from "../../src/lib/_test_git.ts";
import { callApi, type Sandbox, TOKEN, withSandbox } from "../helpers/sandbox.ts";
import { until } from "../../src/lib/_test_until.ts";
import { needs, programFile } from "../helpers/empty_root.ts";

const NOBODY = 65534;
const isRoot = Deno.uid() === 0;
const binary = programFile();
const becomeUser = isRoot
  ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--"]
  : [];

/**
 * Returns the reason why an ordinary user's sandbox cannot be tested here; `undefined` if it can.
 */
async function obstacle(): Promise<string | undefined> {
  if (Deno.build.os !== "linux") return "the sandbox needs Linux";
  if (isRoot && binary === "") return "root needs SVC_BIN, a compiled program";
  const namespaces = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "true"];
  const [program, ...args] = [...becomeUser, ...namespaces];
  const { success } = await new Deno.Command(program!, { args, stderr: "null" }).output();
  return success ? undefined : "this machine does not let users create namespaces";
}

const reason = await obstacle();

/** Returns the command that runs the program as an ordinary user. */
async function userCommand(box: Sandbox): Promise<Command> {
  if (!isRoot) return programCommand();
  const copy = join(box.folder, "svc");
  await Deno.copyFile(binary, copy);
  await Deno.chmod(copy, 0o755);
  return ["setpriv", ...becomeUser.slice(1), copy];
}

/** Creates the user's home folder, with a file that no build may read. */
async function makeHome(box: Sandbox): Promise<string> {
  const home = join(box.folder, "home");
  await Deno.writeTextFile(join(home, "secret.txt"), "of the user", { mode: 0o600 });
  await Deno.chmod(box.folder, 0o755);
  if (isRoot) {
    for (const path of [home, join(home, "secret.txt")]) await Deno.chown(path, NOBODY, NOBODY);
    await Deno.mkdir(box.dataDir);
    await Deno.chown(box.dataDir, NOBODY, NOBODY);
  }
  return home;
}

const hostile = (box: Sandbox, home: string) =>
  [
    `cat ${box.dataDir}/keys.json ${box.dataDir}/kv.sqlite3 && echo LEAKED data`,
    `cat ${home}/secret.txt && echo LEAKED home`,
    `ls ${box.dataDir}/git && echo LEAKED git`,
    `kill -0 ${box.platform!.pid} && echo LEAKED kill`,
    "cat /etc/shadow && echo LEAKED shadow",
    "touch /usr/bin/x /etc/x && echo LEAKED write",
    "mount -t tmpfs x /usr && echo LEAKED mount",
    "unshare -r mount -t tmpfs x /usr && echo LEAKED unshare",
    "setpriv --reuid=65533 true && echo LEAKED setuid",
    "for each in /proc/[0-9]*; do tr '\\0' '\\n' < $each/environ; done | grep -i bootstrap && echo LEAKED env",
    "echo user $(tr -s ' ' < /proc/self/uid_map), capabilities $(grep CapEff /proc/self/status)",
    "echo sees $(ls -d /proc/[0-9]* | wc -l) processes",
    "(setsid sleep 543 &)",
    "mkdir out; echo built by $SVC_BRANCH > out/index.html",
  ].join("\n");

Deno.test({
  name: `an ordinary user's platform builds in a sandbox${
    reason === undefined ? "" : `: ${reason}`
  }`,
  ignore: reason !== undefined || needs("git", "sh").ignore,
  fn: () =>
    withSandbox(async (box) => {
      const home = await makeHome(box);
      const repository = await makeRepository(box.folder, "repository");
      box.platform = await startProgram({
        dataDir: box.dataDir,
        command: await userCommand(box),
        args: ["--git-root", box.folder],
        env: { ...box.env, HOME: home, SVC_BOOTSTRAP_TOKEN: TOKEN },
      });
      await callApi(box, "POST", "/v1/projects", {
        name: "shop",
        gitUrl: repository.path,
        buildCommand: "sh build.sh",
        outputDirectory: "out",
      });
      const { url } = await callApi(box, "POST", "/v1/deploy-hooks", {
        projectId: "shop",
        name: "ci",
        branch: "main",
        scope: "All",
      });
      const commitSha = await repository.commit("main", { "build.sh": hostile(box, home) });
      const hook = new URL(url).pathname;
      const { id, statusUrl } = await callApi(box, "POST", hook, { branch: "main", commitSha });
      const answer = await until(
        () => callApi(box, "GET", new URL(statusUrl).pathname),
        ({ status }) => ["LIVE", "FAILED", "STOPPED"].includes(status),
        120_000,
      );
      const { lines } = await callApi(box, "GET", `/v1/deployments/${id}/build-log`);
      const text = lines.map((line: { text: string }) => line.text).join("\n");
      assert.deepEqual([answer.status, answer.error], ["LIVE", null], text);
      assert.doesNotMatch(text, /LEAKED/);
      const uid = isRoot ? NOBODY : Deno.uid();
      assert.match(text, new RegExp(`^user 0 ${uid} 1, capabilities CapEff: 0+$`, "m"));
      const seen = Number(/^sees (\d+) processes$/m.exec(text)?.[1]);
      assert.ok(seen > 0 && seen < 15, `${seen} processes`);
      assert.equal((await box.page("shop.localhost", "/")).text, "built by main\n");
      assert.deepEqual(await markedProcesses(`SVC_DEPLOYMENT_ID=${id}`), []);
      assert.deepEqual(await Array.fromAsync(Deno.readDir(join(box.dataDir, "builds"))), []);
      assert.doesNotMatch(box.platform.errors(), /"l":"(warn|error)"/);
    }),
});
