import assert from "node:assert/strict";
import { packTar } from "modern-tar";
import { findInImage, type ImageFiles, readImageFiles, typeInImage } from "./image_files.ts";

type Entries = Parameters<typeof packTar>[0];

const file = (name: string, body = name, mode = 0o644) => ({
  header: { name, size: body.length, type: "file" as const, mode },
  body,
});
const folder = (name: string) => ({ header: { name, size: 0, type: "directory" as const } });
const other = (
  type: "link" | "symlink" | "character-device" | "fifo",
  name: string,
  linkname?: string,
) => ({ header: { name, size: 0, type, ...(linkname === undefined ? {} : { linkname }) } });

async function withImage(entries: Entries, test: (image: ImageFiles) => unknown): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-image-" });
  try {
    const archive = new Blob([await packTar(entries)]).stream();
    await test(await readImageFiles(archive, folder));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const refuses = (entries: Entries, message: RegExp) =>
  assert.rejects(withImage(entries, () => {}), message);

Deno.test("readImageFiles() reads hard links as files", () =>
  withImage([
    folder("bin/"),
    file("bin/su", "program", 0o4755),
    file("./etc/app.conf", "settings"),
    other("link", "bin/again", "bin/su"),
    folder("var/"),
    folder("var/empty/"),
  ], ({ files }) => {
    assert.deepEqual([...files.keys()].sort(), [
      "bin/again",
      "bin/su",
      "etc/app.conf",
      "var/empty/.svc-empty",
    ]);
    const content = (path: string) => Deno.readTextFileSync(files.get(path)!.content);
    assert.equal(content("etc/app.conf"), "settings");
    assert.equal(content("bin/again"), "program");
    assert.equal(
      Deno.statSync(files.get("bin/su")!.content).mode! & 0o4000,
      0,
      "a setuid bit, which is removed",
    );
  }));

const LINKS: readonly (readonly [path: string, target: string, wanted: string])[] = [
  ["bin", "usr/bin", "usr/bin"],
  ["etc/mtab", "/proc/mounts", "../proc/mounts"],
  ["usr/lib/a/b", "../c", "../c"],
  ["usr/out", "../../../../etc/shadow", "../etc/shadow"],
  ["usr/loop", "/usr/loop", "loop"],
  ["root", "/", "."],
  ["a/b/root", "/", "../.."],
  ["usr/mixed", "lib/../../etc", "../etc"],
];

Deno.test("readImageFiles() refuses links that point outside the image", () =>
  withImage(LINKS.map(([path, target]) => other("symlink", path, target)), ({ links }) => {
    assert.deepEqual([...links], LINKS.map(([path, , wanted]) => [path, wanted]));
    for (const [path, target] of links) {
      const climbs = target.split("/").filter((step) => step === "..").length;
      assert.ok(climbs < path.split("/").length, `${path} links to ${target}`);
    }
  }));

Deno.test("readImageFiles() lists entries that a deployment cannot contain, and skips the sandbox's folders", () =>
  withImage([
    other("character-device", "dev/null"),
    other("character-device", "srv/null"),
    other("fifo", "srv/pipe"),
    file("lib/a\\x2db.slice"),
    other("symlink", "srv/odd", "a\\b"),
    file("proc/x"),
    file("run/.containerenv"),
    file(".dockerenv"),
    file("kept"),
  ], ({ files, links, leftOut }) => {
    assert.deepEqual([...files.keys()], ["kept"]);
    assert.equal(links.size, 0);
    assert.deepEqual(leftOut, [
      "srv/null (a character device)",
      "srv/pipe (a fifo)",
      '"lib/a\\\\x2db.slice" (its name)',
      'srv/odd (a link to "a\\\\b")',
    ]);
  }));

Deno.test("readImageFiles() refuses entries outside the image or under a symbolic link", async () => {
  await refuses([file("../a")], /points outside it: "\.\.\/a"/);
  await refuses([file("a/../../b")], /points outside it/);
  await refuses([other("link", "a", "../b")], /points outside it/);
  await refuses([other("link", "a", "b")], /hard link to a missing file: a to b/);
  await refuses(
    [other("symlink", "a", "/etc"), file("a/passwd")],
    /below a symbolic link: "a\/passwd"/,
  );
});

Deno.test("findInImage() finds programs through links, by path and by name", () =>
  withImage([
    other("symlink", "bin", "usr/bin"),
    file("usr/bin/busybox"),
    other("symlink", "usr/bin/sh", "/bin/busybox"),
    other("symlink", "usr/bin/loop", "loop"),
    file("app/start"),
    folder("app/data/"),
  ], (image) => {
    const find = (program: string) =>
      findInImage(image, program, { path: "/sbin:/usr/bin", workdir: "/app" });
    assert.equal(find("sh"), "/usr/bin/sh");
    assert.equal(find("/bin/sh"), "/bin/sh");
    assert.equal(find("./start"), "/app/start");
    for (const missing of ["start", "loop", "/bin/none", "/app", "/app/start/x"]) {
      assert.equal(find(missing), undefined, missing);
    }
    assert.equal(typeInImage(image, "/"), "folder");
    assert.equal(typeInImage(image, "/app/data"), "folder");
    assert.equal(typeInImage(image, "/nowhere"), undefined);
  }));
