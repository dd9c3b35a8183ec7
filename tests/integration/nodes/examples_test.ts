/**
 * Runs the examples in docs/scaling.md. The test starts processes instead of the compose file's
 * containers and the systemd units, with different addresses and folders.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { cleanEnvironment, programCommand } from "../../../scripts/_program.ts";
import { isInstalled } from "../../../scripts/_process.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { unusedPort } from "../../../src/lib/unused_port.ts";
import { openTestStorage } from "../../../src/platform/core/s3/_test_storage.ts";
import { NO_POSTGRES, TestPg } from "../../../src/platform/core/store/_test_pg.ts";
import { Child } from "../../helpers/machines/child.ts";
import { callApi, createProject, deploy, TOKEN } from "../../helpers/platform.ts";

const FOLDER = join(import.meta.dirname!, "../../../docs/examples/scaling");
const read = (name: string) => Deno.readTextFile(join(FOLDER, name));

const composeFile = z.object({
  services: z.record(
    z.string(),
    z.object({
      command: z.array(z.string()).optional(),
      environment: z.record(z.string(), z.string()).optional(),
      healthcheck: z.object({ test: z.array(z.string()) }).optional(),
    }).loose(),
  ),
});

/** Replaces strings, all of which must occur in the text. */
function replaced(text: string, texts: Readonly<Record<string, string>>): string {
  for (const [from, to] of Object.entries(texts)) {
    assert.ok(text.includes(from), `${from} is not in ${text}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

/** Starts the services on which the nodes depend, as in the examples. */
async function openSurroundings() {
  const folder = await Deno.makeTempDir({ prefix: "svc-examples-" });
  const pg = await TestPg.start();
  const storage = await openTestStorage();
  const { socket, user, database, password } = await pg.newAddress();
  return {
    folder,
    records: pg.cluster,
    kv: `postgres://${user}@/${database}?host=${dirname(socket!)}`,
    blobs: storage.place,
    /** Values for the variables that the examples leave to the operator. */
    secrets: { ...storage.env, SVC_KV_PASSWORD: password! } as Readonly<Record<string, string>>,
    async [Symbol.asyncDispose]() {
      await pg[Symbol.asyncDispose]();
      await storage[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Runs `svc` with an example's arguments. */
async function runNode(
  [program, ...args]: readonly string[],
  { folder, env, port }: {
    readonly folder: string;
    readonly env: Readonly<Record<string, string>>;
    readonly port: number;
  },
): Promise<Child> {
  assert.match(program!, /(?:^|\/)svc$/);
  const [own, ...first] = programCommand();
  const child = await Child.start([own, ...first, ...args, "--postgres-port", "none"], {
    env: { ...cleanEnvironment(folder), ...env, SVC_BOOTSTRAP_TOKEN: TOKEN },
    ready: { port },
  });
  try {
    await until(async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
      await answer?.body?.cancel();
      return answer?.status === 200;
    });
  } catch (cause) {
    await child.kill();
    throw new Error(`The node does not become ready: ${child.said}`, { cause });
  }
  return child;
}

const at = (port: number) => ({
  api: (method: string, path: string, options = {}) =>
    callApi(`http://127.0.0.1:${port}`, method, path, options),
});

/** Returns the HTTP status of a node's response to a path. */
async function statusOf(port: number, path: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  await answer.body?.cancel();
  return answer.status;
}

const pageOf = async (port: number, host: string) => {
  const { stdout } = await new Deno.Command("curl", {
    args: ["-s", "--max-time", "5", "-H", `Host: ${host}`, `http://127.0.0.1:${port}/`],
  }).output();
  return new TextDecoder().decode(stdout);
};

Deno.test({
  name: "the nodes in the compose file are one platform behind its HAProxy",
  ignore: NO_POSTGRES !== undefined || !isInstalled("haproxy"),
  async fn() {
    await using around = await openSurroundings();
    const { services } = composeFile.parse(parse(await read("compose.yaml"), { merge: true }));
    const ports = { a: unusedPort(), b: unusedPort(), balancer: unusedPort() };
    await using stack = new AsyncDisposableStack();
    for (const name of ["a", "b"] as const) {
      const { command, environment } = services[name]!;
      const own = replaced(command!.join("\n"), {
        "--host=0.0.0.0": "--host=127.0.0.1",
        "--port=8787": `--port=${ports[name]}`,
        [`http://${name}:8787`]: `http://127.0.0.1:${ports[name]}`,
        "/var/lib/svc": join(around.folder, name),
        "/etc/svc/keys.json": join(around.folder, "keys.json"),
        "postgres://svc@postgres/svc?sslmode=disable": around.kv,
        "s3://svc/blobs?endpoint=http://storage:9000&region=us-east-1": around.blobs,
        "http://localhost:8080": `http://localhost:${ports.balancer}`,
        "172.16.0.0/12": "127.0.0.0/8",
      });
      const env = Object.fromEntries(
        Object.entries(environment!).map(([key, value]) => {
          const variable = /^\$\{(\w+):\?\}$/.exec(value)?.[1];
          assert.ok(variable !== undefined && around.secrets[variable] !== undefined, value);
          return [key, around.secrets[variable]];
        }),
      );
      const options = { folder: around.folder, env, port: ports[name] };
      stack.use(await runNode(own.split("\n"), options));
    }
    for (const name of ["a", "b"] as const) {
      const [kind, program, ...args] = services[name]!.healthcheck!.test;
      assert.equal(kind, "CMD");
      const own = args.map((arg) => arg.replace(":8787", `:${ports[name]}`));
      assert.equal((await new Deno.Command(program!, { args: own }).output()).code, 0, name);
    }
    const config = join(around.folder, "haproxy.cfg");
    await Deno.writeTextFile(
      config,
      replaced(await read("haproxy.cfg"), {
        "bind :8080": `bind 127.0.0.1:${ports.balancer}`,
        " a:8787": ` 127.0.0.1:${ports.a}`,
        " b:8787": ` 127.0.0.1:${ports.b}`,
      }),
    );
    stack.use(
      await Child.start(["haproxy", "-db", "-f", config], { ready: { port: ports.balancer } }),
    );
    const all = at(ports.balancer);
    await until(async () => (await all.api("GET", "/v1/nodes")).json.items?.length === 2);
    const project = await createProject(all, "site");
    await deploy(all, project.id, { files: { "index.html": "balanced" } });
    for (const port of Object.values(ports)) {
      await until(async () => await pageOf(port, "site.localhost") === "balanced");
    }
    const logs = await all.api("GET", "/v1/projects/site/logs");
    assert.equal(logs.json.missingNodes, undefined, "nodes reach each other at --node-url");

    // Without the store, no node is ready, but all nodes serve sites.
    await around.records.stop();
    for (const port of [ports.a, ports.b]) {
      await until(async () => await statusOf(port, "/readyz") === 503);
      assert.equal(await statusOf(port, "/healthz"), 200);
    }
    await until(async () => await pageOf(ports.balancer, "site.localhost") === "balanced");
    const refused = await all.api("POST", "/v1/projects", { json: { name: "refused" } });
    assert.deepEqual([refused.status, refused.json.code], [503, "unavailable"]);
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    assert.equal(await pageOf(ports.balancer, "site.localhost"), "balanced");
    await around.records.start();
    for (const port of [ports.a, ports.b]) {
      await until(async () => await statusOf(port, "/readyz") === 200);
    }
    await until(async () =>
      (await all.api("POST", "/v1/projects", { json: { name: "later" } })).status === 201
    );
  },
});

Deno.test({
  name: "the systemd unit is valid and starts a node",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    await using around = await openSurroundings();
    const unit = await read("svc.service");
    if (isInstalled("systemd-analyze")) {
      const file = join(around.folder, "svc.service");
      // `systemd-analyze` checks whether the program exists.
      await Deno.writeTextFile(file, replaced(unit, { "/usr/local/bin/svc": Deno.execPath() }));
      const { code, stderr } = await new Deno.Command("systemd-analyze", {
        args: ["verify", file],
      }).output();
      const said = new TextDecoder().decode(stderr);
      assert.equal(code, 0, said);
      assert.doesNotMatch(said, /svc\.service/);
    }
    const port = unusedPort();
    const line = replaced(/^ExecStart=(.+)$/m.exec(unit)![1]!, {
      "--host 10.0.0.1": "--host 127.0.0.1",
      "--port 8787": `--port ${port}`,
      "/var/lib/svc": join(around.folder, "a"),
      "/etc/svc/keys.json": join(around.folder, "keys.json"),
      "postgres://svc@pg1,pg2,pg3/svc": around.kv,
      "s3://svc/blobs?endpoint=https://s3.example.com&region=us-east-1": around.blobs,
      "https://example.com": `http://localhost:${port}`,
      "10.0.0.10/32": "127.0.0.0/8",
    });
    const options = { folder: around.folder, env: around.secrets, port };
    await using _ = await runNode(line.split(" "), options);
    const { json } = await at(port).api("GET", "/v1/nodes");
    assert.deepEqual(json.items.map(({ id }: { id: string }) => id), ["a"]);
  },
});
