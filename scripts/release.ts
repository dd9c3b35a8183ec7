/**
 * `deno run -A scripts/release.ts --programs dist/programs --out dist/release --place URL`: creates
 * a release from compiled programs. `SVC_RELEASE_KEY` is the path of the file with the signing key,
 * outside the repository (PEM, as `openssl genpkey -algorithm ed25519` writes it). `--new-key FILE`
 * creates one, and prints its entry for `src/release/trusted_keys.ts`.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a script for people, not the CLI
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import config from "../deno.json" with { type: "json" };
import { DATA_FORMAT } from "../src/lib/data_format.ts";
import { TRUSTED_KEYS } from "../src/release/mod.ts";
import { ROOT } from "./_source_files.ts";
import { makeRelease } from "./release/make_release.ts";
import { makeSigningKey } from "./release/new_key.ts";

const { values: flags } = parseArgs({
  args: Deno.args,
  options: {
    programs: { type: "string", default: join(ROOT, "dist", "programs") },
    out: { type: "string", default: join(ROOT, "dist", "release") },
    place: { type: "string" },
    "new-key": { type: "string" },
  },
});

function assertOutside(file: string): void {
  if (!resolve(file).startsWith(join(ROOT, "/"))) return;
  throw new Error(`Keep the signing key out of the repository: ${file}`);
}

if (flags["new-key"] !== undefined) {
  assertOutside(flags["new-key"]);
  console.log(await makeSigningKey(flags["new-key"]));
  Deno.exit();
}

const keyFile = Deno.env.get("SVC_RELEASE_KEY");
if (keyFile === undefined || keyFile === "") {
  throw new Error("Set SVC_RELEASE_KEY to the file with the signing key, outside the repository");
}
assertOutside(keyFile);
if (flags.place === undefined) {
  throw new Error("Set --place to the URL of the releases, as in SVC_RELEASES_URL");
}
const release = await makeRelease({
  version: config.version,
  dataFormat: DATA_FORMAT,
  programs: resolve(flags.programs),
  out: resolve(flags.out),
  place: flags.place,
  keyPem: await Deno.readTextFile(keyFile),
  trusted: TRUSTED_KEYS,
});
console.log(
  `Released svc ${release.version} for ${release.programs.length} platforms in ${flags.out}`,
);
