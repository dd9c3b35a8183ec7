import assert from "node:assert/strict";
import { findGroupPlace } from "./control_groups.ts";

const place = findGroupPlace();

Deno.test("findGroupPlace() reports where groups can be created, and leaves nothing behind", () => {
  if ("folder" in place) {
    const name = [...Deno.readDirSync(place.folder)].find((entry) => /^svc-\d/.test(entry.name));
    assert.deepEqual([place.folder.startsWith("/sys/fs/cgroup"), name], [true, undefined]);
  } else assert.match(place.problem, /control group/);
});

/** A script that acts like a platform in a group delegated by the service manager. */
const DELEGATED = `
const { createControlGroup, openControlGroups } = await import(Deno.args[0]);
const place = await openControlGroups();
const group = createControlGroup({ memoryBytes: 64 * 1024 ** 2, processes: 16 });
const [program, ...args] = group.commandFor(["/bin/sh", "-c", "cat /proc/self/cgroup; tail /dev/zero"]);
const { stdout, signal } = await new Deno.Command(program, { args }).output();
const { ranOut } = group;
console.log(JSON.stringify({
  place,
  own: Deno.readTextFileSync("/proc/self/cgroup").trim(),
  inside: new TextDecoder().decode(stdout).trim().replace(String(Deno.pid), "PID"),
  signal,
  ranOut,
  removed: await group.remove(),
  ranOutAfterwards: group.ranOut,
}));
`;

Deno.test({
  name: "ControlGroup kills processes that exceed their limit, below a service's group" +
    ("problem" in place ? ` (skipped: ${place.problem})` : ""),
  ignore: "problem" in place,
  async fn() {
    assert.ok("folder" in place);
    const given = `${place.folder}/given-${Deno.pid}`;
    await Deno.writeTextFile(`${place.folder}/cgroup.subtree_control`, "+memory", {
      create: false,
    });
    await Deno.mkdir(given);
    const script = await Deno.makeTempFile({ suffix: ".mjs" });
    try {
      await Deno.writeTextFile(script, DELEGATED);
      const module = import.meta.resolve("./control_groups.ts");
      const { stdout, stderr } = await new Deno.Command("/bin/sh", {
        args: [
          ...["-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', given],
          ...[Deno.execPath(), "run", "-A", "--no-check", script, module],
        ],
      }).output();
      assert.notEqual(stdout.length, 0, new TextDecoder().decode(stderr));
      const { inside, ...rest } = JSON.parse(new TextDecoder().decode(stdout));
      const path = given.slice("/sys/fs/cgroup".length);
      assert.match(inside, /\/given-\d+\/svc-PID-\d+-1$/);
      assert.deepEqual(rest, {
        place: { folder: given },
        own: `0::${path}/svc-platform`,
        signal: "SIGKILL",
        ranOut: true,
        removed: true,
        ranOutAfterwards: true,
      });
    } finally {
      await Deno.remove(script);
      await Deno.remove(`${given}/svc-platform`);
      await Deno.remove(given);
    }
  },
});
