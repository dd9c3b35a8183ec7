/**
 * `deno task demo`: starts a platform with one site. All files are in a temporary folder, which is
 * deleted when the demo stops.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a script for people, not the CLI
import { cp } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { fetchByHost } from "./_fetch_by_host.ts";
import { callTool, cleanEnvironment, type Platform, startProgram } from "./_program.ts";
import { ROOT } from "./_source_files.ts";

/** The default port of `svc serve`. */
const PORT = 8787;

/** `npx` sets this variable. The machine that runs the demo may not have `deno`. */
const DENO = Deno.env.has("npm_execpath") ? `npx -y deno@${Deno.version.deno}` : "deno";

const deployed = z.object({
  id: z.string(),
  urls: z.object({ unique: z.url(), branch: z.url(), production: z.url() }),
  fileCount: z.int(),
});

function isTaken(port: number): boolean {
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return false;
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return true;
    throw error;
  }
}

interface Workplace {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

async function start({ folder, env }: Workplace): Promise<Platform> {
  const taken = isTaken(PORT);
  if (taken) console.log(`Port ${PORT} is in use, so the demo uses a free one`);
  return await startProgram({ dataDir: join(folder, "data"), port: taken ? 0 : PORT, env });
}

/** Runs a CLI command and prints its command line. */
async function runCommand(args: readonly string[], place: Workplace): Promise<string> {
  console.log(`$ svc ${args.join(" ")}`);
  const cwd = join(place.folder, "site");
  const result = await callTool([...args, "--json"], { cwd, env: place.env });
  if (result.code !== 0) throw new Error(`svc ${args.join(" ")}: ${result.stdout}${result.stderr}`);
  return result.stdout;
}

async function deploy(platform: Platform, place: Workplace) {
  const env = { ...place.env, SVC_API_URL: platform.url, SVC_TOKEN: platform.token ?? "" };
  const site = join(place.folder, "site");
  await cp(join(ROOT, "fixtures", "sites", "plain"), site, { recursive: true });
  await runCommand(["init", "--create"], { ...place, env });
  return deployed.parse(JSON.parse(await runCommand(["deploy", "--prod"], { ...place, env })));
}

/** Requests the home page and returns its status and title. */
async function readHomePage(platform: Platform, url: string): Promise<string> {
  const { status, text } = await fetchByHost({
    port: platform.port,
    host: new URL(url).hostname,
    path: "/",
  });
  const title = /<title>(.*?)<\/title>/.exec(text)?.[1];
  return `${status} ${title}`;
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    Deno.addSignalListener("SIGINT", () => resolve());
    Deno.addSignalListener("SIGTERM", () => resolve());
  });
}

async function demo(): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-demo-" });
  const place = { folder, env: cleanEnvironment(folder) };
  const stopped = untilStopped();
  console.log(`Starting a platform in ${folder} (deleted when the demo ends)`);
  let platform: Platform | undefined;
  try {
    platform = await start(place);
    const { urls, fileCount } = await deploy(platform, place);
    const page = await readHomePage(platform, urls.production);
    console.log(
      `
${fileCount} files are live. The home page responds with ${page}

  site       ${urls.production}
  dashboard  ${platform.ownerLink}
  curl       curl -H 'Host: ${new URL(urls.production).host}' ${platform.url}/
  CLI        SVC_API_URL=${platform.url} SVC_TOKEN=${platform.token} ${DENO} task svc projects list

Press Ctrl-C to stop the demo.`,
    );
    await stopped;
    console.log("\nStopping");
  } finally {
    await platform?.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

await demo();
