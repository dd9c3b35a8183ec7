/** A release's packages, installed as users install them. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { hear, isInstalled } from "../_process.ts";
import { type Made, VERSION, withRelease } from "./_test_release.ts";
import { TARGETS } from "./targets.ts";

/** The npm package with this machine's program. */
const OWN = `svc-${Deno.build.os}-${Deno.build.arch === "x86_64" ? "x64" : "arm64"}`;

/** Starts a registry that offers a release's npm packages and counts downloads. */
async function withRegistry(
  { root, out }: Made,
  test: (registry: { readonly url: string; readonly fetched: string[] }) => Promise<void>,
): Promise<void> {
  const packages = join(out, "packages", "npm");
  const archives = join(root, "archives");
  await Deno.mkdir(archives);
  const described = new Map<string, { readonly description: unknown; readonly file: string }>();
  for await (const { name } of Deno.readDir(packages)) {
    const packed = await hear(["npm", "pack", "--silent", join(packages, name)], { cwd: archives });
    assert.equal(packed.code, 0, packed.stderr);
    const text = await Deno.readTextFile(join(packages, name, "package.json"));
    described.set(name, { description: JSON.parse(text), file: packed.stdout.trim() });
  }
  const fetched: string[] = [];
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { origin, pathname } = new URL(request.url);
      const name = pathname.slice(1);
      if (name.endsWith(".tgz")) {
        fetched.push(name);
        return new Response(await Deno.readFile(join(archives, name)));
      }
      const found = described.get(name);
      if (found === undefined) return new Response("{}", { status: 404 });
      const dist = { tarball: `${origin}/${found.file}` };
      const version = { ...found.description as object, dist };
      return Response.json({
        name,
        "dist-tags": { latest: VERSION },
        versions: { [VERSION]: version },
      });
    },
  );
  await test({ url: `http://127.0.0.1:${server.addr.port}`, fetched });
}

Deno.test("npm installs the launcher and only the program for this machine", () =>
  withRelease((made) =>
    withRegistry(made, async ({ url, fetched }) => {
      const project = join(made.root, "project");
      await Deno.mkdir(project);
      const npm = (...args: string[]) =>
        hear(["npm", ...args, "--registry", url, "--no-audit", "--no-fund"], {
          cwd: project,
          env: { HOME: made.root, PATH: Deno.env.get("PATH")! },
        });
      const installed = await npm("install", "svc");
      assert.equal(installed.code, 0, installed.stderr);
      assert.deepEqual(fetched.sort(), [`${OWN}-${VERSION}.tgz`, `svc-${VERSION}.tgz`].sort());
      const started = await npm("exec", "--offline", "--", "svc", "--version");
      assert.equal(started.stdout.trim(), VERSION, started.stderr);
      await Deno.remove(join(project, "node_modules", OWN), { recursive: true });
      const missing = await npm("exec", "--offline", "--", "svc", "--version");
      assert.equal(missing.code, 1);
      assert.match(missing.stderr, new RegExp(`the package ${OWN} is missing: install svc again`));
    })
  ));

Deno.test("the packages name every target with its digest", () =>
  withRelease(async ({ out }) => {
    const packages = join(out, "packages");
    const sums = await Deno.readTextFile(join(out, "SHA256SUMS"));
    const scoop = JSON.parse(await Deno.readTextFile(join(packages, "scoop", "svc.json")));
    const { url, hash } = scoop.architecture["64bit"];
    assert.ok(sums.includes(`${hash}  ${url.split("/").at(-1)}`));
    const launcher = JSON.parse(
      await Deno.readTextFile(join(packages, "npm", "svc", "package.json")),
    );
    assert.equal(Object.keys(launcher.optionalDependencies).length, TARGETS.length);
  }));

/**
 * Runs the parts of a formula that Homebrew calls, and returns the file and its digest for a system
 * and processor.
 */
const READER = `
class Formula
  @said = {}
  class << self
    attr_reader :said
    def desc(*) = nil
    def homepage(*) = nil
    def version(*) = nil
    def license(*) = nil
    def test(*) = nil
    def url(text) = @said["url"] = text
    def sha256(text) = @said["sha256"] = text
    def on_macos = ARGV[1] == "macos" ? yield : nil
    def on_linux = ARGV[1] == "linux" ? yield : nil
    def on_arm = ARGV[2] == "arm" ? yield : nil
    def on_intel = ARGV[2] == "intel" ? yield : nil
    def inherited(made)
      made.instance_variable_set(:@said, {})
      $made = made
    end
  end
end
load ARGV[0]
puts $made.said["url"], $made.said["sha256"]
`;

Deno.test({
  name: "the formula selects an archive with a listed digest for each system and processor",
  ignore: !isInstalled("ruby"),
  fn: () =>
    withRelease(async ({ root, out, run }) => {
      const formula = join(out, "packages", "homebrew", "svc.rb");
      const sums = await Deno.readTextFile(join(out, "SHA256SUMS"));
      const reader = join(root, "reader.rb");
      await Deno.writeTextFile(reader, READER);
      const found = new Set<string>();
      for (const system of ["macos", "linux"]) {
        for (const processor of ["arm", "intel"]) {
          const read = await run("ruby", reader, formula, system, processor);
          assert.equal(read.code, 0, read.stderr);
          const [url, digest] = read.stdout.trim().split("\n");
          const file = url!.split("/").at(-1)!;
          assert.match(file, system === "macos" ? /apple-darwin/ : /unknown-linux/);
          assert.match(file, processor === "arm" ? /aarch64/ : /x86_64/);
          assert.ok(sums.includes(`${digest}  ${file}`), file);
          found.add(file);
        }
      }
      assert.equal(found.size, 4);
    }),
});
