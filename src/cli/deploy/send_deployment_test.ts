import assert from "node:assert/strict";
import { untilAborted } from "../../lib/_test_until_aborted.ts";
import { type Bench, withPlatform } from "../_test_platform.ts";
import { pickSources } from "./send_deployment.ts";

const file = (path: string, sha256: string) => ({
  path,
  sha256,
  size: 1,
  content: `/out/${path}`,
});

Deno.test("pickSources() sends identical files once", () => {
  const files = [file("a", "1"), file("b", "2"), file("c", "1")];
  const sources = pickSources({ files, functions: [] }, ["1"]);
  assert.deepEqual(sources.map(({ content }) => content), ["/out/a"]);
});

Deno.test("pickSources() sends functions from memory", () => {
  const source = new Uint8Array([1, 2]);
  const functions = [{ name: "api", sha256: "9", source }];
  const [sent] = pickSources({ files: [], functions }, ["9"]);
  assert.deepEqual(sent, { sha256: "9", size: 2, content: source });
});

Deno.test("pickSources() refuses unknown blobs", () => {
  assert.throws(() => pickSources({ files: [file("a", "1")], functions: [] }, ["2"]), TypeError);
});

Deno.test("a failed upload leaves nothing visible, and the next run resumes it", async () => {
  await withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    let refused = 0;
    const failing: typeof fetch = (input, init) => {
      if (new URL(String(input)).pathname === "/v1/blobs") {
        refused++;
        return Promise.resolve(
          Response.json({ error: "Full", code: "storage_full", requestId: "r" }, { status: 507 }),
        );
      }
      return fetch(input, init);
    };
    const failed = await bench.run(["deploy", "--prod", "--json"], { fetch: failing });
    assert.equal(failed.code, 1);
    assert.equal(refused, 1);
    assert.deepEqual(JSON.parse(failed.stdout), {
      error: "Full",
      code: "storage_full",
      hint:
        "If a disk is full, free some space on the platform's machine. Otherwise, delete data or " +
        "purge the queue. Writes then work again automatically.",
      docs: "svc explain storage_full",
      requestId: "r",
    });
    const { deployments } = await bench.json(["deployments"]);
    assert.deepEqual(
      (deployments as { status: string }[]).map(({ status }) => status),
      ["STOPPED"],
    );
    const told = await bench.json(["deploy", "--prod"]);
    assert.equal(told.status, "LIVE");
  });
});

Deno.test("the deployment of an interrupted upload is stopped", async () => {
  await withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    const stop = new AbortController();
    const interrupting: typeof fetch = (input, init) => {
      if (new URL(String(input)).pathname === "/v1/blobs") {
        stop.abort(new DOMException("Interrupted", "AbortError"));
      }
      return fetch(input, init);
    };
    const run = await bench.run(["deploy"], { fetch: interrupting, signal: stop.signal });
    assert.equal(run.code, 130);
    const { deployments } = await bench.json(["deployments"]);
    assert.deepEqual(
      (deployments as { status: string }[]).map(({ status }) => status),
      ["STOPPED"],
    );
  });
});

type Moment = "before it is sent" | "after its response";

/** Runs a deploy that the user stops during the request to `path`. */
async function stopAt(
  bench: Bench,
  argv: readonly string[],
  at: { readonly path: string; readonly moment: Moment },
) {
  const stop = new AbortController();
  const interrupt = () => stop.abort(new DOMException("Interrupted", "AbortError"));
  let stopped = 0;
  const stopping: typeof fetch = async (input, init) => {
    if (!new URL(String(input)).pathname.endsWith(at.path)) return await fetch(input, init);
    stopped++;
    if (at.moment === "before it is sent") interrupt();
    const { signal: _, ...rest } = init ?? {};
    const answer = await fetch(input, at.moment === "after its response" ? rest : init);
    interrupt();
    if (init?.signal?.aborted !== true) return answer;
    await answer.body?.cancel();
    throw stop.signal.reason;
  };
  const run = await bench.run(argv, { fetch: stopping, signal: stop.signal });
  assert.equal(stopped, 1);
  assert.equal(run.code, 130, run.stderr);
  return run;
}

async function statuses(bench: Bench): Promise<string[]> {
  const { deployments } = await bench.json(["deployments"]);
  return (deployments as { status: string }[]).map(({ status }) => status);
}

const BEFORE_LIVE = [
  { path: "/deployments", moment: "after its response" },
  { path: "/v1/blobs", moment: "before it is sent" },
  { path: "/v1/blobs", moment: "after its response" },
  { path: "/activate", moment: "before it is sent" },
] as const;

for (const at of BEFORE_LIVE) {
  Deno.test(`a deploy interrupted at ${at.path}, ${at.moment}, is stopped on the platform`, async () => {
    await withPlatform(async (bench) => {
      await bench.json(["init", "--create"]);
      const run = await stopAt(bench, ["deploy", "--prod", "--json"], at);
      const told = JSON.parse(run.stdout);
      assert.equal(told.code, "interrupted");
      assert.match(
        told.error,
        /^Interrupted: deployment [0-9a-f-]{36} was stopped before it went live$/,
      );
      assert.equal(told.deployment.status, "STOPPED");
      assert.deepEqual(await statuses(bench), ["STOPPED"]);
      const { project } = await bench.json(["projects", "info", "my-site"]);
      assert.equal((project as { productionDeploymentId: unknown }).productionDeploymentId, null);
    });
  });
}

const ACTIVATED = { path: "/activate", moment: "after its response" } as const;

Deno.test("a deploy stopped after it went live reports that, and how to undo it", async () => {
  await withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    const first = await stopAt(bench, ["deploy", "--prod"], ACTIVATED);
    assert.match(first.stderr, /Interrupted too late: deployment [0-9a-f-]{36} is live at http/);
    assert.match(first.stderr, /project's first production deployment/);
    assert.doesNotMatch(first.stderr, /svc rollback/);
    await bench.write("index.html", "<h1>Two</h1>");
    const second = await stopAt(bench, ["deploy", "--prod", "--json"], ACTIVATED);
    const { code, deployment, next } = JSON.parse(second.stdout);
    assert.equal(code, "interrupted");
    assert.equal(deployment.status, "LIVE");
    assert.equal((await bench.page(deployment.urls.production, "/")).text, "<h1>Two</h1>");
    const [undo] = next;
    assert.match(undo, new RegExp(`^svc rollback --deployment-id ${deployment.id} --project-id `));
    const undone = await bench.run(undo.split(" ").slice(1));
    assert.equal(undone.code, 0, undone.stderr);
    assert.equal((await bench.page(deployment.urls.production, "/")).text, "<h1>One</h1>");
  });
});

Deno.test("a preview that is live when the deploy is stopped stays live, and can be stopped", async () => {
  await withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    const run = await stopAt(bench, ["deploy", "--json"], ACTIVATED);
    const { next, deployment } = JSON.parse(run.stdout);
    assert.deepEqual(next, [`svc stop ${deployment.id} --json`]);
    assert.deepEqual(await statuses(bench), ["LIVE"]);
    assert.equal((await bench.run(["stop", deployment.id])).code, 0);
    assert.deepEqual(await statuses(bench), ["STOPPED"]);
  });
});

Deno.test("a deploy whose deployment was stopped elsewhere ends at the next upload", async () => {
  await withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    const elsewhere: typeof fetch = async (input, init) => {
      if (new URL(String(input)).pathname === "/v1/blobs") {
        const { deployments } = await bench.json(["deployments"]);
        await bench.json(["stop", (deployments as { id: string }[])[0]!.id]);
      }
      return await fetch(input, init);
    };
    const run = await bench.run(["deploy", "--json"], { fetch: elsewhere });
    assert.equal(run.code, 1);
    assert.match(JSON.parse(run.stdout).error, /is closed and does not accept files/);
    assert.deepEqual(await statuses(bench), ["STOPPED"]);
  });
});

const CREATE = ["projects", "create", "--name", "blog", "--json"];

Deno.test("a command stopped during a change waits for the response, and shows it", async () => {
  await withPlatform(async (bench) => {
    const at = { path: "/v1/projects", moment: "after its response" } as const;
    const run = await stopAt(bench, CREATE, at);
    assert.equal(JSON.parse(run.stdout).project.name, "blog");
    assert.match(run.stderr, /Interrupted too late: the command had already completed/);
  });
});

Deno.test("a command stopped while the platform does not respond reports possible changes", async () => {
  await withPlatform(async (bench) => {
    const stop = new AbortController();
    const silent: typeof fetch = (input, init) => {
      if (init?.method !== "POST") return fetch(input, init);
      stop.abort(new DOMException("Interrupted", "AbortError"));
      return untilAborted(init.signal!);
    };
    const run = await bench.run(CREATE, { fetch: silent, signal: stop.signal });
    assert.equal(run.code, 130);
    const told = JSON.parse(run.stdout);
    assert.equal(
      told.error,
      "Interrupted: the platform may have completed POST /v1/projects",
    );
  });
});

Deno.test("a rollback stopped after its response shows the live deployment, and how to undo it", async () => {
  await withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    const first = await bench.json(["deploy", "--prod"]);
    await bench.write("index.html", "<h1>Two</h1>");
    const second = await bench.json(["deploy", "--prod"]);
    const at = { path: "/rollback", moment: "after its response" } as const;
    const run = await stopAt(bench, ["rollback"], at);
    assert.match(run.stderr, new RegExp(`Rolled back ${second.id}\\. ${first.id} is live again`));
    const [, undo] = /undo +svc (.*)/.exec(run.stderr) ?? [];
    await bench.json(undo!.split(" "));
    const { project } = await bench.json(["projects", "info", "my-site"]);
    assert.equal(
      (project as { productionDeploymentId: unknown }).productionDeploymentId,
      second.id,
    );
  });
});

Deno.test("an activation whose response is lost is retried, and not undone", async () => {
  await withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    let lost = 0;
    const losing: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init);
      if (lost > 0 || !String(input).endsWith("/activate")) return answer;
      lost++;
      await answer.body?.cancel();
      throw new TypeError("connection reset");
    };
    const told = await bench.json(["deploy"], { fetch: losing });
    assert.equal(lost, 1);
    assert.equal(told.status, "LIVE");
  });
});
