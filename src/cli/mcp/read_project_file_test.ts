import assert from "node:assert/strict";
import { join } from "node:path";
import { ToolFailure } from "../../agents/tool.ts";
import { readProjectFile } from "./read_project_file.ts";

/** Creates a home folder with a project, an SSH key, and svc's credentials. */
async function makeHome() {
  const home = await Deno.realPath(await Deno.makeTempDir());
  const site = join(home, "site");
  const config = join(home, ".config", "svc");
  for (const folder of [join(site, ".svc"), config, join(home, ".ssh"), join(home, "site2")]) {
    await Deno.mkdir(folder, { recursive: true });
  }
  await Deno.writeTextFile(join(site, "svc.toml"), '[project]\nname = "site"\n');
  await Deno.writeTextFile(join(site, "key.txt"), "value\n");
  await Deno.writeTextFile(join(site, ".svc", "context.json"), "{}");
  await Deno.writeTextFile(join(home, ".ssh", "id"), "private");
  await Deno.writeTextFile(join(home, "site2", "key.txt"), "other");
  await Deno.writeTextFile(join(config, "credentials.json"), "{}");
  await Deno.symlink(join(home, ".ssh"), join(site, "link"));
  await Deno.writeFile(join(site, "binary"), new Uint8Array([0xff, 0xfe]));
  const read = (given: string, named?: string, start = site) =>
    readProjectFile(given, named, { start, home, refused: [config], maxBytes: 100 });
  return { home, site, read, [Symbol.asyncDispose]: () => Deno.remove(home, { recursive: true }) };
}

const failsWith = (code: string, message: RegExp) => (error: unknown) =>
  error instanceof ToolFailure && error.code === code && message.test(error.message);

Deno.test("readProjectFile() reads files in the project, including its subfolders", async () => {
  await using box = await makeHome();
  assert.equal(await box.read("key.txt"), "value\n");
  assert.equal(await box.read("../key.txt", ".svc"), "value\n");
  assert.equal(await box.read("key.txt", "site", box.home), "value\n");
});

Deno.test("readProjectFile() refuses files outside the project, even through links", async () => {
  await using box = await makeHome();
  const elsewhere = failsWith("forbidden", /is not a file in the project in/);
  for (const path of ["/etc/passwd", "../.ssh/id", "link/id", "../site2/key.txt", "/nothing"]) {
    await assert.rejects(box.read(path), elsewhere, path);
  }
  // A folder named by the agent does not give access to projects other than the server's own.
  await Deno.writeTextFile(join(box.home, "site2", "svc.toml"), '[project]\nname = "b"\n');
  await assert.rejects(box.read("key.txt", "../site2"), elsewhere);
  await assert.rejects(
    box.read(".ssh/id", undefined, box.home),
    failsWith("forbidden", /no svc\.toml/),
  );
});

Deno.test("readProjectFile() refuses svc's own keys, even within the project", async () => {
  await using box = await makeHome();
  const own = failsWith("forbidden", /belongs to svc/);
  await assert.rejects(box.read(".svc/context.json"), own);
  await Deno.mkdir(join(box.home, "all", "site"), { recursive: true });
  await Deno.writeTextFile(join(box.home, "all", "svc.toml"), '[project]\nname = "all"\n');
  await Deno.writeTextFile(join(box.home, "all", "credentials.json"), "{}");
  const start = join(box.home, "all");
  const refused = [join(box.home, "all", "credentials.json")];
  await assert.rejects(
    readProjectFile("site/../credentials.json", undefined, {
      start,
      refused,
      home: box.home,
      maxBytes: 100,
    }),
    own,
  );
});

Deno.test("readProjectFile() reports the problem with a file that it cannot read", async () => {
  await using box = await makeHome();
  await Deno.writeTextFile(join(box.site, "large"), "x".repeat(101));
  await assert.rejects(box.read("large"), failsWith("usage", /more than 100/));
  await assert.rejects(box.read("binary"), failsWith("usage", /is not UTF-8 text/));
  await assert.rejects(box.read("missing"), failsWith("not_found", /does not exist/));
  await assert.rejects(box.read("."), failsWith("usage", /is not a file/));
});
