/**
 * The container of a release, built and run: `CONTAINER_PROGRAM=podman`, or `docker`, with the
 * compiled program in `SVC_BIN`. Its base image comes from the program's configured registries.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../src/lib/_test_until.ts";
import { hear } from "../_process.ts";
import { fillTemplate } from "./fill_template.ts";

const program = Deno.env.get("CONTAINER_PROGRAM") ?? "";
const compiled = Deno.env.get("SVC_BIN") ?? "";

const VERSION = "1.2.3";
const TARGET = `${Deno.build.arch}-unknown-linux-gnu`;
/** Maximum time for an idle platform to stop, in seconds. */
const STOP_SECONDS = 5;

const first = program.split(" ") as [string, ...string[]];

/** Runs a command with the container program and expects success. */
async function containers(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await hear([...first, ...args]);
  assert.equal(code, 0, `${program} ${args.join(" ")}: ${stderr}`);
  return `${stdout}${stderr}`.trim();
}

/** Creates a release's files for this machine's container, and builds the container. */
async function buildImage(folder: string, image: string): Promise<void> {
  const archive = `svc-${VERSION}-${TARGET}.tar.gz`;
  await Deno.copyFile(compiled, join(folder, "svc"));
  const run = (...command: [string, ...string[]]) => hear(command, { cwd: folder });
  assert.equal((await run("tar", "-czf", archive, "svc")).code, 0);
  const { stdout } = await run("sha256sum", archive);
  await Deno.writeTextFile(join(folder, "SHA256SUMS"), stdout);
  const template = await Deno.readTextFile(new URL("templates/Containerfile", import.meta.url));
  const file = join(folder, "Containerfile");
  await Deno.writeTextFile(file, fillTemplate(template, { VERSION }));
  await containers("build", "--network", "host", "-t", image, "-f", file, folder);
}

interface Point {
  readonly name: string;
  readonly state: string;
}

interface Running {
  readonly url: string;
  /** Returns the platform's output. */
  said(): Promise<string>;
}

/** Starts the image's platform with a volume. */
async function start(image: string, name: string): Promise<Running> {
  const limits = ["--ulimit", "nofile=4096:4096", "--ulimit", "nproc=4096:4096"];
  const publish = ["-p", "127.0.0.1::8787", "-v", `${name}:/data`];
  await containers("run", "--detach", "--name", name, ...limits, ...publish, image);
  const port = (await containers("port", name, "8787")).split(":").at(-1)!;
  const url = `http://127.0.0.1:${port}`;
  await until(() => fetch(`${url}/readyz`).then(({ ok }) => ok, () => false));
  return { url, said: () => containers("logs", name) };
}

Deno.test({
  name:
    "the container serves sites, keeps them across a restart, stops in time, and runs unprivileged",
  ignore: program === "" || compiled === "",
  fn: async () => {
    const folder = await Deno.makeTempDir({ prefix: "svc-container-" });
    const name = `svc-test-${crypto.randomUUID().slice(0, 8)}`;
    const image = `localhost/${name}`;
    try {
      await buildImage(folder, image);
      const { url, said } = await start(image, name);
      const [key] = (await until(async () => /svc_[\w-]{43}/.exec(await said())))!;
      const site = join(folder, "site");
      await Deno.mkdir(site);
      await Deno.writeTextFile(join(site, "index.html"), "<h1>Contained</h1>");
      const svc = (...args: string[]) =>
        hear([compiled, ...args, "--json", "--cwd", site], {
          env: { HOME: folder, SVC_API_URL: url, SVC_TOKEN: key },
        });
      assert.equal((await svc("init", "--create", "--name", "boxed")).code, 0);
      const deployed = await svc("deploy", "--prod");
      assert.equal(deployed.code, 0, deployed.stdout);
      const page = (at: string) =>
        hear(["curl", "-s", "-H", "Host: boxed.localhost", at]).then(({ stdout }) => stdout);
      assert.equal(await page(url), "<h1>Contained</h1>");

      assert.equal(await containers("exec", name, "id", "-u"), "10001");
      assert.match(await containers("exec", name, "cat", "/proc/1/status"), /CapEff:\t0+\n/);
      assert.equal(await containers("exec", name, "stat", "-c", "%a %U", "/data"), "700 svc");
      const doctor = await containers("exec", name, "svc", "doctor", "--json");
      const { points } = JSON.parse(doctor) as { readonly points: readonly Point[] };
      assert.deepEqual(points.filter(({ state }) => state === "fail"), []);
      const warned = points.filter(({ state }) => state === "warn").map(({ name }) => name);
      assert.deepEqual(warned, ["sandbox on Node", "build sandbox", "login"]);

      const began = performance.now();
      await containers("stop", "--time", "30", name);
      assert.ok(performance.now() - began < STOP_SECONDS * 1000);
      assert.match(await said(), /Stopping/);
      await containers("rm", name);
      const again = await start(image, name);
      assert.equal(await page(again.url), "<h1>Contained</h1>");
    } finally {
      await hear([...first, "rm", "--force", name]);
      await hear([...first, "volume", "rm", name]);
      await hear([...first, "rmi", "--force", image]);
      await Deno.remove(folder, { recursive: true });
    }
  },
});
