/**
 * Kills the platform with `kill -9` during many deliveries. No accepted delivery may be lost, and
 * only deliveries in progress may be repeated.
 *
 * `CRASH_DELIVERIES` sets the number of deliveries.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { cleanEnvironment, type Platform, startProgram } from "../../../scripts/_program.ts";
import { serveSmtp, type TestSmtp } from "../../helpers/smtp_server.ts";
import { until } from "../../../src/lib/_test_until.ts";

const COUNT = Number(Deno.env.get("CRASH_DELIVERIES") ?? 400);
const RAISING = 8;
/** Number of emails that are sent in parallel. A crash can duplicate that many emails. */
const UNDER_WAY = 4;

/** Creates a workspace whose owner has an email address. Returns a key for the workspace. */
async function makeWorkspace(platform: Platform): Promise<string> {
  let cookie = "";
  const send = async (path: string, json: object, workspace?: string) => {
    const response = await fetch(`http://127.0.0.1:${platform.port}${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "sec-fetch-site": "same-origin",
        ...(workspace === undefined ? {} : { "x-workspace": workspace }),
        cookie,
      },
      body: JSON.stringify(json),
    });
    cookie = response.headers.get("set-cookie")?.split(";")[0] ?? cookie;
    assert.equal(response.status, 201);
    return await response.json();
  };
  const password = "a few words in a row";
  await send("/v1/sign-up", { name: "Ada", email: "ada@example.com", password });
  await send("/v1/workspaces", { slug: "ada", name: "Ada" });
  return (await send("/v1/api-keys", { name: "crash", role: "owner" }, "ada")).key;
}

type Raise = (platform: Platform, project: string) => Promise<boolean>;

const raiseWith = (key: string): Raise => async (platform, project) => {
  try {
    const response = await fetch(`http://127.0.0.1:${platform.port}/v1/events`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ event: "deployment.failed", data: { project } }),
    });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
};

/** Returns the projects named in the subjects of the received emails. */
function projectsOf(smtp: TestSmtp): string[] {
  return smtp.mails.flatMap(({ headers }) => /p\d{4}p/.exec(headers.get("subject")!) ?? []);
}

/** Counts the repeated Message-IDs. */
function repeatsOf(smtp: TestSmtp): number {
  const ids = smtp.mails.map(({ headers }) => headers.get("message-id"));
  return ids.length - new Set(ids).size;
}

Deno.test(`every accepted event arrives despite three kills during ${COUNT} deliveries`, async () => {
  await using smtp = await serveSmtp();
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-crash-" }));
  const dataDir = join(folder, "data");
  const env = cleanEnvironment(folder);
  // Without a mail server, a sign-up does not need an email.
  const first = await startProgram({ dataDir, env });
  const raise = raiseWith(await makeWorkspace(first));
  await first.stop();
  const serve = () => startProgram({ dataDir, env: { ...env, SVC_SMTP_URL: smtp.url } });
  let platform = await serve();
  let kills = 0;
  const crash = async () => {
    await platform.kill();
    kills++;
    platform = await serve();
  };
  try {
    const accepted = new Set<string>();
    const waiting = Array.from({ length: COUNT }, (_, index) => `p${`${index}`.padStart(4, "0")}p`);
    const raiseAll = async () => {
      for (let project = waiting.shift(); project !== undefined; project = waiting.shift()) {
        if (!await raise(platform, project)) return;
        accepted.add(project);
      }
    };
    const raising = () => Promise.all(Array.from({ length: RAISING }, raiseAll));
    const seen = (count: number) => until(() => smtp.mails.length, (mails) => mails >= count);

    const interrupted = raising();
    await seen(COUNT / 10);
    await crash();
    await interrupted;
    await raising();
    await seen(COUNT / 4);
    await crash();
    await seen(COUNT / 2);
    await crash();
    const left = () => accepted.difference(new Set(projectsOf(smtp)));
    // Waits until all accepted emails have arrived.
    await until(() => [...left()], (mails) => mails.length === 0, 60_000);
    assert.equal(kills, 3);
    assert.ok(accepted.size >= COUNT - RAISING, `${accepted.size} accepted`);
    const repeats = repeatsOf(smtp);
    assert.ok(repeats <= kills * UNDER_WAY, `${repeats} arrived twice`);
    assert.doesNotMatch(platform.errors(), /error/i);
  } finally {
    await platform.kill();
    await Deno.remove(folder, { recursive: true });
  }
});
