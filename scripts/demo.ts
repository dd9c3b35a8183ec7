/**
 * `deno task demo`: a platform with a site on it, from nothing. Everything it
 * makes is in one temporary folder, which goes when it ends.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a script for people, not the tool
import { cp } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { fetchByHost } from "./_fetch_by_host.ts";
import { callTool, cleanEnvironment, type Platform, startProgram } from "./_program.ts";
import { ROOT } from "./_source_files.ts";

/** The port of the serving contract; a free one where it is taken. */
const PORT = 8787;

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

interface Place {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

async function start({ folder, env }: Place): Promise<Platform> {
  const taken = isTaken(PORT);
  if (taken) console.log(`Port ${PORT} is taken: the demo takes a free one`);
  return await startProgram({ dataDir: join(folder, "data"), port: taken ? 0 : PORT, env });
}

/** Calls the tool as a person would, showing the command line. */
async function tool(args: readonly string[], place: Place): Promise<string> {
  console.log(`$ svc ${args.join(" ")}`);
  const cwd = join(place.folder, "site");
  const result = await callTool([...args, "--json"], { cwd, env: place.env });
  if (result.code !== 0) throw new Error(`svc ${args.join(" ")}: ${result.stdout}${result.stderr}`);
  return result.stdout;
}

async function deploy(platform: Platform, place: Place) {
  const env = { ...place.env, SVC_API_URL: platform.url, SVC_TOKEN: platform.token ?? "" };
  const site = join(place.folder, "site");
  await cp(join(ROOT, "fixtures", "sites", "plain"), site, { recursive: true });
  await tool(["init", "--create"], { ...place, env });
  return deployed.parse(JSON.parse(await tool(["deploy", "--prod"], { ...place, env })));
}

/** Fetches the start page as a browser would, and reports the answer. */
async function look(platform: Platform, url: string): Promise<string> {
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
  console.log(`Everything the demo makes is in ${folder}, and goes with it.`);
  console.log("$ svc serve --data-dir data");
  let platform: Platform | undefined;
  try {
    platform = await start(place);
    const { urls, fileCount } = await deploy(platform, place);
    const seen = await look(platform, urls.production);
    console.log(
      `
The platform is up, ${fileCount} files are live, and the page answers: ${seen}

  production  ${urls.production}
  branch      ${urls.branch}
  unique      ${urls.unique}

  with curl   curl -H 'Host: ${new URL(urls.production).host}' ${platform.url}/
  the tool    SVC_API_URL=${platform.url} SVC_TOKEN=${platform.token} deno task svc projects list

Browsers find *.localhost by themselves. Ctrl-C ends the demo.`,
    );
    await stopped;
    console.log("\nStopping");
  } finally {
    await platform?.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

await demo();
