/** @module An npm registry on this machine, with packages written by tests. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { inTestFolder } from "../../lib/_test_folder.ts";
import { stopServer } from "../../lib/stop_server.ts";

export interface TestRegistry {
  readonly url: string;
  /** Paths that were requested. */
  readonly asked: string[];
  /** Publishes a package with these files. Returns the SHA-512 of its archive in hexadecimal. */
  publish(name: string, version: string, files: Readonly<Record<string, string>>): Promise<string>;
  unpublish(name: string): void;
  /** Responds to the next request for a path with 404. */
  failOnce(path: string): void;
  close(): Promise<void>;
}

interface Published {
  readonly version: string;
  readonly archive: Uint8Array<ArrayBuffer>;
  readonly manifest: Record<string, unknown>;
}

async function archiveOf(files: Readonly<Record<string, string>>) {
  return await inTestFolder(async (folder) => {
    for (const [path, text] of Object.entries(files)) {
      const place = join(folder, "package", path);
      await Deno.mkdir(join(place, ".."), { recursive: true });
      await Deno.writeTextFile(place, text, { mode: 0o755 });
    }
    const args = ["-czf", "-", "-C", folder, "package"];
    const { stdout } = await new Deno.Command("tar", { args }).output();
    return stdout;
  });
}

/** Starts the registry. It needs nothing but `tar`. */
export function startRegistry(): TestRegistry {
  const packages = new Map<string, Published[]>();
  const asked: string[] = [];
  const failing = new Set<string>();
  const options = { port: 0, hostname: "127.0.0.1", onListen() {} };
  const server = Deno.serve(options, (request): Response => {
    const path = decodeURIComponent(new URL(request.url).pathname.slice(1));
    asked.push(path);
    if (failing.delete(path)) return new Response("{}", { status: 404 });
    const [name = "", version] = path.split("/-/");
    const known = packages.get(name);
    if (known === undefined) return new Response("{}", { status: 404 });
    if (version !== undefined) {
      return new Response(known.find((each) => each.version === version.slice(0, -4))?.archive);
    }
    const versions = Object.fromEntries(known.map((each) => [each.version, {
      ...each.manifest,
      dist: {
        tarball: `${new URL("/", request.url)}${name}/-/${each.version}.tgz`,
        integrity: `sha512-${createHash("sha512").update(each.archive).digest("base64")}`,
      },
    }]));
    return Response.json({ name, versions, "dist-tags": { latest: known.at(-1)?.version } });
  });
  const url = `http://127.0.0.1:${server.addr.port}/`;
  return {
    url,
    asked,
    async publish(name, version, files) {
      const manifest = { name, version, ...JSON.parse(files["package.json"] ?? "{}") };
      const archive = await archiveOf({ ...files, "package.json": JSON.stringify(manifest) });
      packages.set(name, [...packages.get(name) ?? [], { version, archive, manifest }]);
      return createHash("sha512").update(archive).digest("hex");
    },
    unpublish: (name) => void packages.delete(name),
    failOnce: (path) => void failing.add(path),
    close: () => stopServer(server),
  };
}
