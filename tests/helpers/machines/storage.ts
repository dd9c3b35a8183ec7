/**
 * Object storage in a separate process: versitygw, which stores objects in a folder.
 *
 * @module
 */
import { join } from "node:path";
import { hear, isInstalled } from "../../../scripts/_process.ts";
import { Child } from "./child.ts";

const GATEWAY = "github.com/versity/versitygw/cmd/versitygw";
const VERSION = "v1.8.0";
export const BUCKET = "svc";
const KEYS = { AWS_ACCESS_KEY_ID: "svc-access", AWS_SECRET_ACCESS_KEY: "svc-secret-0123456789" };

/**
 * Returns the path of the program. If the program is missing, Go builds it, which takes a few
 * minutes.
 */
async function findGateway(): Promise<string> {
  if (isInstalled("versitygw")) return "versitygw";
  const home = Deno.env.get("HOME") ?? "/tmp";
  const folder = join(home, ".cache", "svc-tests", `versitygw-${VERSION}`);
  const path = join(folder, "versitygw");
  if (await Deno.stat(path).then(() => true, () => false)) return path;
  const env = { GOBIN: folder };
  const { code, stderr } = await hear(["go", "install", `${GATEWAY}@${VERSION}`], { env });
  if (code !== 0) throw new Error(`Cannot build ${GATEWAY}: ${stderr}`);
  return path;
}

/** Object storage that can be killed and started again. */
export class Storage implements AsyncDisposable {
  #running: Child | undefined;

  readonly #folder: string;
  readonly #program: string;

  private constructor(folder: string, program: string, readonly port: number) {
    this.#folder = folder;
    this.#program = program;
  }

  static async start(folder: string, port: number): Promise<Storage> {
    await Deno.mkdir(join(folder, "s3", BUCKET), { recursive: true });
    const storage = new Storage(join(folder, "s3"), await findGateway(), port);
    await storage.start();
    return storage;
  }

  /**
   * Returns a `--blobs` value for this storage. `host` is its address for processes in another
   * network.
   */
  place(host = "127.0.0.1"): string {
    return `s3://${BUCKET}/blobs?endpoint=http://${host}:${this.port}&region=us-east-1`;
  }

  /** The storage's process; `undefined` if it was never started. */
  get pid(): number | undefined {
    return this.#running?.pid;
  }

  readonly env: Readonly<Record<string, string>> = KEYS;

  async start(): Promise<void> {
    const env = {
      ROOT_ACCESS_KEY: KEYS.AWS_ACCESS_KEY_ID,
      ROOT_SECRET_KEY: KEYS.AWS_SECRET_ACCESS_KEY,
    };
    const args = ["--port", `127.0.0.1:${this.port}`, "--quiet", "posix", this.#folder];
    this.#running = await Child.start([this.#program, ...args], {
      env,
      ready: { port: this.port },
    });
  }

  async kill(): Promise<void> {
    await this.#running?.kill();
  }

  async [Symbol.asyncDispose]() {
    await this.kill();
  }
}
