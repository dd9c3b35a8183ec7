import assert from "node:assert/strict";
import { join } from "node:path";
import { flipBit, makeKeys } from "../../src/release/_test_releases.ts";
import { downloadProgram, findRelease, programFor } from "../../src/release/mod.ts";
import { fillTemplate } from "./fill_template.ts";
import { makeRelease } from "./make_release.ts";
import { makeSbom } from "./sbom.ts";
import { VERSION, withRelease } from "./_test_release.ts";
import { programName, TARGETS } from "./targets.ts";
import { inTestFolder } from "../../src/lib/_test_folder.ts";

Deno.test("makeRelease() creates releases that svc upgrade installs on every platform", async () => {
  await withRelease(async ({ root, place, publicKey }) => {
    const source = { place, fetch, signal: new AbortController().signal };
    const release = await findRelease({ ...source, keys: [publicKey] }, VERSION);
    assert.equal(release.dataFormat, 1);
    for (const { target } of TARGETS) {
      const path = join(root, target);
      using file = await Deno.open(path, { write: true, create: true });
      const download = { ...source, version: VERSION, onBytes: () => {} };
      await downloadProgram(programFor(release, target), file, download);
      assert.match(await Deno.readTextFile(path), new RegExp(target));
    }
  });
});

Deno.test("makeRelease() signs a list of digests that sha256sum and openssl verify", async () => {
  await withRelease(async ({ out, run }) => {
    assert.equal((await run("sha256sum", "--check", "--strict", "SHA256SUMS")).code, 0);
    const listed = (await Deno.readTextFile(join(out, "SHA256SUMS"))).split("\n");
    for (const { target } of TARGETS) {
      assert.equal(listed.filter((line) => line.includes(target)).length, 2, target);
    }
    const names = ["release.json", "release.json.sig", "install.sh", `svc-${VERSION}.cdx.json`];
    for (const name of names) assert.ok(listed.some((line) => line.endsWith(`  ${name}`)), name);
  });
});

Deno.test("makeRelease() packs archives with a working program", async () => {
  await withRelease(async ({ root, out, run }) => {
    const archive = join(out, `svc-${VERSION}-x86_64-unknown-linux-gnu.tar.gz`);
    assert.equal((await run("tar", "-xzf", archive, "-C", root)).code, 0);
    assert.equal((await run(join(root, "svc"))).stdout, `${VERSION}\n`);
    for (const name of ["LICENSE", "svc.1"]) {
      assert.ok((await Deno.stat(join(root, name))).isFile, name);
    }
    const zip = await run("zip", "-sf", join(out, `svc-${VERSION}-x86_64-pc-windows-msvc.zip`));
    assert.match(zip.stdout, /svc\.exe/);
  });
});

Deno.test("install.sh installs only signed files", async (t) => {
  await withRelease(async ({ root, out, run }) => {
    const install = join(root, "install.sh");
    await Deno.copyFile(join(out, "install.sh"), install);
    const svc = join(root, ".local", "bin", "svc");
    const file = `svc-${VERSION}-${Deno.build.target}.gz`;
    const refuses = async (says: RegExp, ...args: string[]) => {
      const { code, stderr } = await run("sh", install, ...args);
      assert.equal(code, 1);
      assert.match(stderr, says);
      await assert.rejects(Deno.stat(svc), Deno.errors.NotFound);
    };
    const changed = async (name: string, says: RegExp) => {
      const bytes = await Deno.readFile(join(out, name));
      await Deno.writeFile(join(out, name), flipBit(bytes, -9));
      await refuses(says);
      await Deno.writeFile(join(out, name), bytes);
    };
    await t.step("refuses a changed file", async () => {
      await changed("SHA256SUMS", /svc's key has not signed it/);
      await changed("SHA256SUMS.sig", /svc's key has not signed it/);
      await changed(file, /its SHA-256 is not the signed one/);
      await changed("svc.1", /svc\.1: its SHA-256 is not the signed one/);
    });
    await t.step("refuses a version that does not exist, and an unknown flag", async () => {
      await refuses(/Cannot download .*v9\.9\.9/, "--version", "v9.9.9");
      await refuses(/Unknown argument --nope/, "--nope");
    });
    for (const shell of [["sh"], ["dash"], ["bash"], ["busybox", "sh"]] as const) {
      const [program, ...words] = shell;
      const ignore = (await run("which", program)).code !== 0;
      await t.step({
        name: `installs the release with ${shell.join(" ")}`,
        ignore,
        fn: async () => {
          const args = [...words, install, "--version", "v1.2.3"];
          const { code, stdout, stderr } = await run(program, ...args);
          assert.equal(code, 0, stderr);
          assert.match(stdout, /Installed svc 1\.2\.3 in .*\.local\/bin/);
          assert.equal((await run(svc)).stdout, `${VERSION}\n`);
          const page = join(root, ".local", "share", "man", "man1", "svc.1");
          assert.match(await Deno.readTextFile(page), /^\.TH SVC 1/m);
          for (const installed of [svc, page]) await Deno.remove(installed);
        },
      });
    }
  });
});

Deno.test("makeRelease() refuses a key or program that svc would not trust", async () => {
  await inTestFolder(async (root) => {
    const { pem, publicKey } = await makeKeys();
    const [name] = TARGETS.map(programName);
    await Deno.writeTextFile(join(root, name!), "no key in here");
    const options = { version: VERSION, dataFormat: 1, programs: root, place: "http://x" };
    const make = (trusted: string[]) =>
      makeRelease({ ...options, out: join(root, "out"), keyPem: pem, trusted });
    await assert.rejects(make([]), /Sign with a key from src\/release\/trusted_keys\.ts/);
    await assert.rejects(make([publicKey]), /does not contain the keys/);
  });
});

Deno.test("makeSbom() lists every package in the lock file once, with its digest", () => {
  const lock = {
    npm: {
      "@a/b@1.2.3_c@4.0.0": { integrity: `sha512-${new Uint8Array(64).fill(1).toBase64()}` },
      "@a/b@1.2.3_c@5.0.0": { integrity: `sha512-${new Uint8Array(64).fill(1).toBase64()}` },
      "c@4.0.0": {},
    },
  };
  const { components, metadata } = JSON.parse(makeSbom(JSON.stringify(lock), VERSION));
  assert.equal(metadata.component.version, VERSION);
  assert.deepEqual(components.map(({ purl }: { purl: string }) => purl), [
    "pkg:npm/%40a/b@1.2.3",
    "pkg:npm/c@4.0.0",
  ]);
  assert.equal(components[0].hashes[0].content, "01".repeat(64));
});

Deno.test("fillTemplate() refuses a name without a value", () => {
  assert.equal(fillTemplate("a @X@ c@d.e", { X: "b" }), "a b c@d.e");
  assert.throws(() => fillTemplate("@Y@", { X: "b" }), /The template needs a value for @Y@/);
});
