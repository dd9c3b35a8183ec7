/**
 * Installers, and packages for package managers, from templates.
 *
 * @module
 */
import { dirname, join } from "node:path";
import { tagOf } from "../../src/release/mod.ts";
import { fillTemplate } from "./fill_template.ts";
import type { ReleasedProgram, ReleaseOptions } from "./release_options.ts";
import { programName } from "./targets.ts";

const TEMPLATES = new URL("templates/", import.meta.url);

/** The DER prefix of an Ed25519 public key (RFC 8410). */
const SPKI_HEAD = Uint8Array.fromHex("302a300506032b6570032100");

/** Converts a raw base64 public key to PEM, which openssl reads. */
function publicKeyPem(raw: string): string {
  const der = new Uint8Array([...SPKI_HEAD, ...Uint8Array.fromBase64(raw)]);
  return `-----BEGIN PUBLIC KEY-----\n${der.toBase64()}\n-----END PUBLIC KEY-----`;
}

type Facts = ReleaseOptions & { readonly publicKey: string };

/** Returns the name of a digest in the templates, such as `SHA256_X86_64_UNKNOWN_LINUX_GNU`. */
const digestName = (target: string): string =>
  `SHA256_${target.toUpperCase().replaceAll("-", "_")}`;

function valuesOf(programs: readonly ReleasedProgram[], facts: Facts): Record<string, string> {
  const { version, place, publicKey } = facts;
  return {
    VERSION: version,
    PLACE: place.replace(/\/+$/, ""),
    FILES: `${place.replace(/\/+$/, "")}/download/${tagOf(version)}`,
    PUBLIC_KEY_PEM: publicKeyPem(publicKey),
    ...Object.fromEntries(
      programs.map(({ target, archive }) => [digestName(target.target), archive.sha256]),
    ),
  };
}

/** The path in the release for each template. */
const FILES: Readonly<Record<string, string>> = {
  "install.sh": "install.sh",
  "install.ps1": "install.ps1",
  "svc.rb": "packages/homebrew/svc.rb",
  "svc.json": "packages/scoop/svc.json",
  "Containerfile": "packages/container/Containerfile",
};

async function writeTemplate(
  template: string,
  to: string,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  const text = fillTemplate(await Deno.readTextFile(new URL(template, TEMPLATES)), values);
  await Deno.mkdir(dirname(to), { recursive: true });
  await Deno.writeTextFile(to, text);
}

/** Writes an npm package for each platform, and a package that starts the matching program. */
async function writeNpm(
  programs: readonly ReleasedProgram[],
  facts: Facts,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  const folder = join(facts.out, "packages", "npm");
  const platforms: Record<string, string> = {};
  for (const { target } of programs) {
    const { os, cpu } = target.npm;
    const name = `svc-${os}-${cpu}`;
    platforms[name] = facts.version;
    await writeTemplate("npm/platform.json", join(folder, name, "package.json"), {
      ...values,
      NAME: name,
      OS: os,
      CPU: cpu,
    });
    const program = join(folder, name, target.isWindows ? "svc.exe" : "svc");
    await Deno.copyFile(join(facts.programs, programName(target)), program);
    await Deno.chmod(program, 0o755);
  }
  const launcher = join(folder, "svc");
  const description = join(launcher, "package.json");
  await writeTemplate("npm/launcher.json", description, values);
  const written = JSON.parse(await Deno.readTextFile(description));
  const whole = { ...written, optionalDependencies: platforms };
  await Deno.writeTextFile(description, `${JSON.stringify(whole, null, 2)}\n`);
  await writeTemplate("npm/svc.js", join(launcher, "svc.js"), values);
}

/** Writes the packages that install the programs, with the digests and URLs of this release. */
export async function writePackages(
  programs: readonly ReleasedProgram[],
  facts: Facts,
): Promise<void> {
  const values = valuesOf(programs, facts);
  for (const [template, to] of Object.entries(FILES)) {
    await writeTemplate(template, join(facts.out, to), values);
  }
  await writeNpm(programs, facts, values);
}
