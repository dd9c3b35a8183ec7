/**
 * A release for tests, served from this machine. The programs of the release are scripts that print
 * their version.
 *
 * @module
 */
import { join } from "node:path";
import { makeKeys } from "../../src/release/_test_releases.ts";
import { hear } from "../_process.ts";
import { makeRelease } from "./make_release.ts";
import { programName, TARGETS } from "./targets.ts";

export const VERSION = "1.2.3";

export interface Made {
  readonly root: string;
  /** The release's folder. */
  readonly out: string;
  readonly place: string;
  readonly publicKey: string;
  run(program: string, ...args: string[]): ReturnType<typeof hear>;
}

/** Creates a release, calls `run` with it, and removes it afterwards. */
export async function withRelease(test: (made: Made) => Promise<void>): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "svc-release-" });
  const { pem, publicKey } = await makeKeys();
  const [programs, out] = [join(root, "programs"), join(root, "release")];
  await Deno.mkdir(programs);
  for (const target of TARGETS) {
    const text = `#!/bin/sh\n# ${publicKey} ${target.target}\necho ${VERSION}\n`;
    await Deno.writeTextFile(join(programs, programName(target)), text);
  }
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const name = new URL(request.url).pathname
        .replace(/^\/(?:latest\/download|download\/v1\.2\.3)\//, "");
      const bytes = await Deno.readFile(join(out, name)).catch(() => undefined);
      return bytes === undefined ? new Response(null, { status: 404 }) : new Response(bytes);
    },
  );
  const place = `http://127.0.0.1:${server.addr.port}`;
  const options = { version: VERSION, dataFormat: 1, programs, out, place };
  await makeRelease({ ...options, keyPem: pem, trusted: [publicKey] });
  const env = { HOME: root, PATH: Deno.env.get("PATH")! };
  const run = (program: string, ...args: string[]) => hear([program, ...args], { cwd: out, env });
  try {
    await test({ root, out, place, publicKey, run });
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}
