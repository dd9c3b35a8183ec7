/** Runs builds with hostile code. */
import assert from "node:assert/strict";
import { denoCache } from "../../../src/runtime/mod.ts";
import { networkVariables } from "../../../src/lib/network_variables.ts";
import { markedProcesses } from "../../../src/lib/marked_processes.ts";
import {
  type BuildPlatform,
  textOf,
  withBuilds,
  withBuildsInProcess,
} from "../../helpers/git_builds.ts";
import { openForChildren } from "../../helpers/descriptors.ts";
import { FIRST_TEST_UID } from "../../helpers/build_users.ts";
import { processOf } from "../../helpers/platform.ts";
import { peakMemory } from "../../../scripts/bench/_bench_place.ts";

/** Number of megabytes that one test's build prints. Set `PRINT_MB=1024` for a gigabyte. */
const PRINT_MB = Number(Deno.env.get("PRINT_MB") ?? 200);

const OUT = "mkdir -p out; echo ok > out/index.html";

/** Builds a project whose build command is this script and whose output folder is `out`. */
async function buildScript(platform: BuildPlatform, script: string) {
  const { hook } = await platform.project("shop", {
    buildCommand: "sh build.sh",
    outputDirectory: "out",
  });
  const deployment = await platform.build(hook, { "build.sh": script });
  const text = textOf(await platform.log(deployment.id));
  return { deployment, text, hook };
}

const left = (id: string) => markedProcesses(`SVC_DEPLOYMENT_ID=${id}`);

Deno.test("a build cannot see the platform, its data or its processes", async () => {
  await withBuilds(async (platform) => {
    const { dataDir } = platform;
    const secret = Deno.readTextFileSync(`${dataDir}/keys.json`);
    const { deployment, text } = await buildScript(
      platform,
      [
        `cat ${dataDir}/keys.json ${dataDir}/kv.sqlite3 && echo LEAKED`,
        `ls ${dataDir} ${dataDir}/git ${dataDir}/builds && echo LEAKED`,
        "cat /root/.ssh/* /root/.config/svc/credentials.json && echo LEAKED",
        "cat /etc/shadow && echo LEAKED",
        `for each in /proc/[0-9]*; do tr '\\0' '\\n' < $each/environ; cat $each/cmdline; done`,
        `grep -r "" /proc/[0-9]*/root/${dataDir} && echo LEAKED`,
        "touch /usr/bin/x /etc/x && echo LEAKED",
        "unshare -r true && mount -t tmpfs x /usr && echo LEAKED",
        "env; id; echo pids $(ls -d /proc/[0-9]* | wc -l)",
        OUT,
      ].join("\n"),
    );
    assert.equal(deployment.error, null, text);
    assert.doesNotMatch(text, /LEAKED/);
    assert.ok(!text.includes(secret.slice(10, 40)));
    assert.ok(!text.includes("integration-test-token"));
    const network = networkVariables(Deno.env.toObject());
    const lines = new Set(text.split("\n"));
    for (const [name, value] of Object.entries(Deno.env.toObject())) {
      if (name in network || /^(CI|PATH|LANG|PWD|OLDPWD|SHLVL|_)$/.test(name)) continue;
      assert.ok(!lines.has(`${name}=${value}`), name);
    }
    const sources = denoCache(Deno.env.toObject());
    assert.ok(!lines.has(`DENO_DIR=${sources}`), "the build does not get the platform's DENO_DIR");
    const uid = Number(/uid=(\d+)/.exec(text)?.[1]);
    assert.ok(
      uid === 0 || uid >= FIRST_TEST_UID,
      "the build runs as root of its own namespace, or as a build user",
    );
  });
});

Deno.test("a build cannot reach files that the platform has opened or inherited", async () => {
  const secret = await Deno.makeTempFile({ prefix: "svc-inherited-" });
  await Deno.writeTextFile(secret, "inherited secret");
  using _open = openForChildren(secret);
  await withBuilds(async (platform) => {
    const { deployment, text } = await buildScript(
      platform,
      [
        `ls -l /proc/[0-9]*/fd | grep -E "svc-inherited|kv.sqlite3" && echo LEAKED`,
        `for each in /proc/[0-9]*/fd/*; do case $(readlink $each) in`,
        `  *svc-inherited*) cat $each; echo LEAKED ;; esac; done`,
        `ls /proc/self/fd | tr "\\n" " "`,
        OUT,
      ].join("\n"),
    );
    assert.equal(deployment.error, null, text);
    assert.doesNotMatch(text, /LEAKED|inherited secret/);
    assert.match(text, /^0 1 2 3 $/m, "the only other descriptor is the folder that ls opens");
  });
  await Deno.remove(secret);
});

Deno.test("a build that forks endlessly is killed, and the platform stays responsive", async () => {
  await withBuildsInProcess(async (platform) => {
    const running = buildScript(platform, "bomb() { bomb | bomb & }; bomb; sleep 60");
    let answers = 0;
    const timer = setInterval(() => {
      void platform.api("GET", "/v1/projects").then(() => answers++, () => {});
    }, 200);
    const { deployment } = await running;
    clearInterval(timer);
    assert.equal(deployment.status, "FAILED");
    assert.ok(answers > 3, `${answers} answers`);
    assert.deepEqual(await left(deployment.id), []);
  }, { builds: { limits: { processes: 100, timeMs: 5_000 } } });
});

Deno.test("a build that fills the disk is killed", async () => {
  await withBuilds(async (platform) => {
    const script =
      "while :; do head -c 1000000 /dev/zero > f$((n = n + 1)) || sleep 1; sleep 0.01; done";
    const { deployment } = await buildScript(platform, script);
    assert.match(deployment.error ?? "", /more than 47.7 MiB of disk space/);
    const builds = await Array.fromAsync(Deno.readDir(`${platform.dataDir}/builds`));
    assert.deepEqual(builds, []);
  }, { builds: { limits: { diskBytes: 50_000_000, timeMs: 60_000 } } });
});

Deno.test("a build that uses too much memory is killed", async () => {
  await withBuilds(async (platform) => {
    const script = `node -e 'const a = []; setInterval(() => a.push(Buffer.alloc(2e7, 1)), 20)'`;
    const { deployment } = await buildScript(platform, script);
    assert.match(deployment.error ?? "", /more than 572.2 MiB of memory/);
  }, { builds: { limits: { memoryBytes: 600_000_000, timeMs: 60_000 } } });
});

Deno.test("a build's endless output fills neither memory nor disk", async () => {
  await withBuilds(async (platform) => {
    const before = peakMemory(processOf(platform));
    const script = `yes 'a line that is printed repeatedly' | head -c ${
      PRINT_MB * 1_000_000
    }\n${OUT}\necho END`;
    const { deployment, text } = await buildScript(platform, script);
    assert.equal(deployment.error, null);
    const stat = await Deno.stat(
      `${platform.dataDir}/build_logs/${
        (await platform.api("GET", `/v1/deployments/${deployment.id}`))
          .json.projectId
      }/${deployment.id}.ndjson`,
    );
    assert.ok(stat.size < 6_000_000, `${stat.size} bytes of log`);
    assert.match(text, /\d+ lines left out/);
    assert.ok(peakMemory(processOf(platform)) - before < 400_000_000);
  });
});

Deno.test("a build that never ends is killed, as are processes that left its group and session", async () => {
  await withBuildsInProcess(async (platform) => {
    const script = "setsid sh -c 'trap \"\" TERM HUP; while :; do sleep 1; done' &\nsleep 600";
    const { deployment } = await buildScript(platform, script);
    assert.match(deployment.error ?? "", /longer than 4 seconds/);
    assert.deepEqual(await left(deployment.id), []);
  }, { builds: { limits: { timeMs: 4_000 } } });
});

Deno.test("no process outlives a successful build", async () => {
  await withBuilds(async (platform) => {
    const script = `setsid env -i /bin/sleep 987 &\nnohup sleep 987 &\n${OUT}`;
    const { deployment } = await buildScript(platform, script);
    assert.equal(deployment.error, null);
    assert.deepEqual(await left(deployment.id), []);
    const { code } = await new Deno.Command("pgrep", { args: ["-f", "sleep 987"] }).output();
    assert.equal(code, 1, "no process remains");
  });
});

Deno.test("links, unusual names and submodules cannot escape from a repository", async () => {
  await withBuilds(async (platform) => {
    const { repository } = platform;
    const { hook } = await platform.project("shop", { outputDirectory: "site" });
    await repository.commit("main", { "site/index.html": "ok" });
    await Deno.symlink("/etc/passwd", `${repository.path}/site/passwd.txt`);
    const link = await platform.build(hook, {});
    assert.equal(link.status, "FAILED");
    assert.match(link.error ?? "", /passwd\.txt/);
    await Deno.remove(`${repository.path}/site/passwd.txt`);
    await Deno.symlink("/etc", `${repository.path}/site/etc`);
    assert.equal((await platform.build(hook, {})).status, "FAILED");
    await Deno.remove(`${repository.path}/site/etc`);
    await Deno.remove(`${repository.path}/site`, { recursive: true });
    await Deno.symlink("/etc", `${repository.path}/site`);
    assert.equal((await platform.build(hook, {})).status, "FAILED");
    await Deno.remove(`${repository.path}/site`);
    const newline = await platform.build(hook, { "site/a\nb.html": "x" });
    assert.match(newline.error ?? "LIVE", /control character/);
    await Deno.remove(`${repository.path}/site/a\nb.html`);
    const hooks = {
      "site/index.html": "fine",
      ".gitattributes": "* filter=evil diff=evil",
      ".gitmodules": `[submodule "x"]\n\tpath = x\n\turl = ${platform.folder}/data/git`,
      "hooks/post-checkout": "#!/bin/sh\ntouch /tmp/evil",
    };
    const ended = await platform.build(hook, hooks);
    assert.equal(ended.error, null);
    await assert.rejects(Deno.stat("/tmp/evil"));
    const commitSha = await repository.commit("main", {
      ".gitmodules": '[submodule "x"]\n\tpath = x\n\turl = y\n\tupdate = !touch /tmp/evil',
    });
    const refused = await platform.trigger(hook, { branch: "main", commitSha });
    assert.notEqual(refused.status, 200, "git refuses the submodule command");
  });
});

Deno.test("two simultaneous builds cannot see each other", async () => {
  await withBuilds(async (platform) => {
    const script = [
      // The markers are split up, because otherwise the search would find this file if it is under
      // /tmp.
      "echo sec''ret-of-$SVC_BRANCH > /tmp/mine; echo sec''ret-of-$SVC_BRANCH > $HOME/mine",
      "sleep 2; grep -rhs 'sec[r]et-of' /tmp /build /cache /proc/[0-9]*/environ; id -u",
      OUT,
    ].join("\n");
    const one = await platform.project("one", {
      buildCommand: "sh build.sh",
      outputDirectory: "out",
    });
    const two = await platform.project("two", {
      buildCommand: "sh build.sh",
      outputDirectory: "out",
    });
    const main = await platform.repository.commit("main", { "build.sh": script });
    const other = await platform.repository.commit("other", {});
    const triggered = [
      await platform.trigger(one.hook, { branch: "main", commitSha: main }),
      await platform.trigger(two.hook, { branch: "other", commitSha: other }),
    ];
    const texts: string[] = [];
    for (const { id } of triggered) {
      await platform.ended(id);
      texts.push(textOf(await platform.log(id)));
    }
    assert.match(texts[0]!, /sec[r]et-of-main/);
    assert.doesNotMatch(texts[0]!, /sec[r]et-of-other/);
    assert.match(texts[1]!, /sec[r]et-of-other/);
    assert.doesNotMatch(texts[1]!, /sec[r]et-of-main/);
  }, { buildConcurrency: 2 });
});
