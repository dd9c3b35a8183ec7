/**
 * Tests how `/v1/health` and `svc doctor` report the sandbox for Node servers: on this machine, and
 * without permission to create namespaces, as in most containers.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import * as z from "zod";
import {
  cleanEnvironment,
  type Command,
  programCommand,
  startProgram,
} from "../../scripts/_program.ts";
import { endpoints } from "../../src/contract/endpoints.ts";
import type { Health } from "../../src/contract/system.ts";
import { isInRoot, needs } from "../helpers/empty_root.ts";
import { inTestFolder } from "../../src/lib/_test_folder.ts";

const SETPRIV = "/usr/bin/setpriv";

/** Starts a program without permission to create namespaces. */
const WITHOUT_NAMESPACES = [SETPRIV, "--bounding-set=-sys_admin", "--inh-caps=-all"] as const;

const isRootOnLinux = Deno.build.os === "linux" && Deno.uid() === 0;

const doctorSchema = z.object({
  points: z.array(z.object({
    name: z.string(),
    state: z.string(),
    found: z.string(),
    advice: z.string().optional(),
  })),
});

async function healthOf(command: Command, home: string): Promise<Health["servers"]["node"]> {
  const env = cleanEnvironment(home);
  const platform = await startProgram({ dataDir: join(home, "data"), env, command });
  try {
    const answer = await fetch(`${platform.url}${endpoints.getHealth.path}`);
    return endpoints.getHealth.response.parse(await answer.json()).servers.node;
  } finally {
    await platform.kill();
  }
}

async function doctorOf([program, ...args]: Command, home: string) {
  const { stdout, stderr } = await new Deno.Command(program, {
    args: [...args, "doctor", "--json"],
    env: cleanEnvironment(home),
    clearEnv: true,
    stdin: "null",
  }).output();
  const text = new TextDecoder().decode(stdout);
  assert.ok(text !== "", new TextDecoder().decode(stderr));
  const { points } = doctorSchema.parse(JSON.parse(text));
  return points.find(({ name }) => name === "sandbox on Node")!;
}

Deno.test(
  "health and doctor report that Node servers run in namespaces",
  { ignore: !isRootOnLinux || needs("node").ignore },
  () =>
    inTestFolder(async (home) => {
      const whole = { sandbox: "namespaces", reason: null, advice: null };
      assert.deepEqual(await healthOf(programCommand(), home), whole);
      assert.equal((await doctorOf(programCommand(), home)).state, "ok");
    }),
);

Deno.test("health and doctor report that Node servers cannot run in namespaces, and give advice", {
  ignore: !isRootOnLinux || isInRoot(),
}, () =>
  inTestFolder(async (home) => {
    const command: Command = [...WITHOUT_NAMESPACES, ...programCommand()];
    const { sandbox, reason, advice } = await healthOf(command, home);
    assert.equal(sandbox, "kernel");
    assert.match(reason!, /unshare/);
    assert.match(advice!, /add --security-opt seccomp=unconfined and --security-opt unmask=ALL/);
    const point = await doctorOf(command, home);
    assert.equal(point.state, "warn");
    assert.match(point.found, /^servers on Node run without namespaces/);
    assert.equal(point.advice, advice);
  }));
