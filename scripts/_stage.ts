/**
 * The stage: the folder that `deno compile` packs into the program. Beside the
 * bundle it holds the packages that are no code to bundle, as files.
 *
 * @module
 */
import { dirname, join } from "node:path";

export interface ShippedPackage {
  readonly name: string;
  /** Files of the package that the program opens; `package.json` and licence come along. */
  readonly files: readonly string[];
  readonly reason: string;
}

/** Packages that the program reads from its own `node_modules`. */
export const SHIPPED_PACKAGES: readonly ShippedPackage[] = [
  {
    name: "re2-wasm",
    files: ["build/wasm/re2.js", "build/wasm/re2.wasm"],
    reason: "finds its WebAssembly beside itself, and is loaded only to judge a manifest",
  },
  {
    name: "@ip-location-db/geo-whois-asn-country-mmdb",
    files: ["geo-whois-asn-country.mmdb"],
    reason: "is a database, read when the platform starts",
  },
];

/** Packages that are not part of the program at run time. */
export const ABSENT_PACKAGES: readonly string[] = ["esbuild"];

/**
 * Writes `package.json`, `deno.json` and `node_modules` to the stage. With
 * `nodeModulesDir: "manual"` and a package.json, the compiled program resolves
 * bare imports of code on disk as well, which servers of deployments need.
 */
export async function stagePackages(root: string, stage: string): Promise<void> {
  const { version, unstable } = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
  const dependencies: Record<string, string> = {};
  for (const { name, files } of SHIPPED_PACKAGES) {
    const from = join(root, "node_modules", name);
    const description = JSON.parse(await Deno.readTextFile(join(from, "package.json")));
    dependencies[name] = description.version;
    const licences = [...Deno.readDirSync(from)].map((entry) => entry.name)
      .filter((entry) => /licen[cs]e/i.test(entry));
    for (const file of ["package.json", ...licences, ...files]) {
      const to = join(stage, "node_modules", name, file);
      await Deno.mkdir(dirname(to), { recursive: true });
      await Deno.copyFile(join(from, file), to);
    }
  }
  const write = (name: string, value: unknown): Promise<void> =>
    Deno.writeTextFile(join(stage, name), JSON.stringify(value, null, 2));
  await write("package.json", { name: "svc", version, type: "module", dependencies });
  await write("deno.json", { nodeModulesDir: "manual", unstable });
}
