import assert from "node:assert/strict";
import { join } from "node:path";
import { withTestProject } from "../_test_project.ts";
import { describeSystem, packageFamily, systemOf } from "./native_file.ts";
import { withFittingAddons } from "./native_packages.ts";

const MACHINES: Readonly<Record<string, number>> = { x86_64: 0x3e, aarch64: 0xb7 };
const OWN = Deno.build.arch;
const OTHER = OWN === "x86_64" ? "aarch64" : "x86_64";

function elf(arch: string, text = "libc.so.6"): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(64);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
  bytes[18] = MACHINES[arch]!;
  bytes.set(new TextEncoder().encode(text), 24);
  return bytes;
}

const MACH_O = new Uint8Array(32);
new DataView(MACH_O.buffer).setUint32(0, 0xfeedfacf, true);
new DataView(MACH_O.buffer).setUint32(4, 0x0100000c, true);

Deno.test("systemOf() reads the target system of an addon", () => {
  const show = (bytes: Uint8Array) => {
    const system = systemOf(bytes);
    return system === undefined ? undefined : describeSystem(system);
  };
  assert.equal(show(elf("x86_64")), "Linux (x64)");
  assert.equal(show(elf("aarch64", "libc.musl-aarch64.so.1")), "Linux (arm64, musl)");
  assert.equal(show(MACH_O), "macOS (arm64)");
  assert.equal(show(new TextEncoder().encode("MZ and more than twenty bytes")), "Windows");
  assert.equal(show(new TextEncoder().encode("plain text, longer than that")), undefined);
});

Deno.test({
  name: "withFittingAddons() reports addons compiled for another Node version",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withTestProject({}, async ({ project, host, said }) => {
      const addons = {
        "node_modules/bound/a.node": elf(OWN),
        "node_modules/free/a.node": elf(OWN, "napi_call"),
      };
      const contents = [];
      for (const [path, bytes] of Object.entries(addons)) {
        const content = join(project, path.replaceAll("/", "_"));
        await Deno.writeFile(content, bytes);
        contents.push({ path, content, size: bytes.byteLength });
      }
      await withFittingAddons(host, contents, { built: "22", serving: "24" });
      assert.deepEqual(said, [
        'build warn Package "bound" is compiled for Node 22, but the server runs on Node 24: ' +
        "code that uses the package will fail. Install the packages with Node 24, or set engines.node in " +
        "package.json",
      ]);
    }),
});

Deno.test("packageFamily() returns the name of the package to install", () => {
  assert.equal(packageFamily("@img/sharp-linuxmusl-x64"), "@img/sharp");
  assert.equal(packageFamily("@node-rs/argon2-darwin-arm64"), "@node-rs/argon2");
  assert.equal(packageFamily("better-sqlite3"), "better-sqlite3");
});

Deno.test({
  name: "withFittingAddons() keeps addons for Linux and reports all others",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withTestProject({}, async ({ project, host, said }) => {
      const addons: Readonly<Record<string, Uint8Array>> = {
        "node_modules/both/prebuilds/linux.node": elf(OWN),
        "node_modules/both/prebuilds/darwin.node": MACH_O,
        "node_modules/both/prebuilds/arm.node": elf(OTHER),
        "node_modules/@img/lib-darwin-arm64/lib.node": MACH_O,
        "node_modules/musl/build.node": elf(OWN, "libc.musl-x86_64.so.1"),
      };
      const contents = [];
      for (const [path, bytes] of Object.entries(addons)) {
        const content = join(project, path.replaceAll("/", "_"));
        await Deno.writeFile(content, bytes);
        contents.push({ path, content, size: bytes.byteLength });
      }
      const kept = await withFittingAddons(host, contents, { built: "24", serving: "24" });
      assert.deepEqual(kept.map(({ path }) => path), [
        "node_modules/both/prebuilds/linux.node",
        "node_modules/@img/lib-darwin-arm64/lib.node",
        "node_modules/musl/build.node",
      ]);
      assert.equal(said.length, 2);
      assert.match(
        said[0] ?? "",
        /^build warn Package "@img\/lib" is installed for macOS \(arm64\), but servers run on Linux: code that uses the package will fail\. Install it with "npm install --os=linux --cpu=\w+ --libc=glibc @img\/lib", or/,
      );
      assert.match(said[1] ?? "", /Package "musl" is installed for Linux \(\w+, musl\)/);
    }),
});
