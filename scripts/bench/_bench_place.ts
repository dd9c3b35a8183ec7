/**
 * A temporary folder with a platform for one bench. The folder is removed afterwards.
 *
 * @module
 */
import { join } from "node:path";
import {
  cleanEnvironment,
  type Platform,
  programCommand,
  startProgram,
  startTool,
} from "../_program.ts";
import { type CertificateFiles, makeCertificate } from "../../src/lib/_test_certificate.ts";

export interface ToolRun {
  /** The JSON object that the command wrote to stdout. */
  readonly answer: Readonly<Record<string, unknown>>;
  readonly milliseconds: number;
  /** Maximum resident memory, in bytes. */
  readonly peakMemory: number;
}

export interface BenchPlace {
  readonly folder: string;
  /** The project's folder, where the CLI runs. */
  readonly site: string;
  readonly platform: Platform;
  readonly token: string;
  tool(args: readonly string[]): Promise<ToolRun>;
}

/**
 * Returns the peak resident memory of a running process, in bytes (`VmHWM`, proc(5)); 0 if unknown.
 */
export function peakMemory(pid: number): number {
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}

/** Describes how the program under test runs, for the report. */
export function describeProgram(): string {
  const command = programCommand();
  return command.length === 1 ? command[0] : `from source, Deno ${Deno.version.deno}`;
}

async function runTool(
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<ToolRun> {
  const started = performance.now();
  const tool = startTool([...args, "--json"], options);
  let peak = 0;
  const timer = setInterval(() => peak = Math.max(peak, peakMemory(tool.pid)), 20);
  const told = await tool.result;
  clearInterval(timer);
  if (told.code !== 0) throw new Error(`svc ${args.join(" ")}: ${told.stdout}${told.stderr}`);
  return {
    answer: JSON.parse(told.stdout),
    milliseconds: performance.now() - started,
    peakMemory: peak,
  };
}

export interface PlatformOptions {
  /** Arguments of `serve`. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a bench with its own platform. */
export async function withBenchPlace<T>(
  run: (place: BenchPlace) => Promise<T>,
  options: PlatformOptions = {},
): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix: "svc-bench-" });
  // A local PostgreSQL runs as another user, who needs access to paths below this folder.
  await Deno.chmod(folder, 0o711);
  const site = join(folder, "site");
  await Deno.mkdir(site);
  let platform: Platform | undefined;
  try {
    const env = cleanEnvironment(folder);
    platform = await startProgram({
      dataDir: join(folder, "data"),
      env: { ...env, ...options.env },
      args: options.args ?? [],
    });
    const token = platform.token ?? "";
    const toolEnv = { ...env, SVC_API_URL: `http://localhost:${platform.port}`, SVC_TOKEN: token };
    return await run({
      folder,
      site,
      platform,
      token,
      tool: (args) => runTool(args, { cwd: site, env: toolEnv }),
    });
  } finally {
    await platform?.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

interface HttpsPlace extends BenchPlace {
  /** The platform's HTTPS certificate. The other servers use it too. */
  readonly certificate: CertificateFiles;
}

/** Runs a bench with its own platform that serves HTTP and HTTPS. */
export async function withHttpsPlace<T>(
  run: (place: HttpsPlace) => Promise<T>,
  options: PlatformOptions = {},
): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix: "svc-bench-tls-" });
  try {
    const certificate = await makeCertificate(folder, "bench", [
      ...["DNS:localhost", "DNS:bench.localhost", "IP:127.0.0.1"],
    ]);
    const { certFile, keyFile } = certificate;
    const tls = ["--tls-cert", certFile, "--tls-key", keyFile, "--https-port", "0"];
    return await withBenchPlace(
      (place) => run({ ...place, certificate }),
      { ...options, args: [...tls, ...options.args ?? []] },
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
