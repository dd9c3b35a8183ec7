/** Tests where a Deno server can write, and which errors it gets in other places. */
import assert from "node:assert/strict";
import { computeServer, writeModules } from "../../helpers/compute_server.ts";

const SERVER = `
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { DatabaseSync } from "node:sqlite";

const attempts = {
  async temporary() {
    const folder = fs.mkdtempSync(join(tmpdir(), "upload-"));
    fs.writeFileSync(join(folder, "one"), "1");
    await fs.promises.appendFile(join(folder, "one"), "2");
    fs.renameSync(join(folder, "one"), join(tmpdir(), "two"));
    await pipeline(async function* () { yield "a "; yield "stream" }, fs.createWriteStream(join(folder, "three")));
    fs.copyFileSync(join(folder, "three"), join(folder, "four"));
    const made = await Deno.makeTempFile();
    await Deno.writeTextFile(made, "deno");
    return [
      fs.readFileSync(join(tmpdir(), "two"), "utf8"),
      fs.readFileSync(join(folder, "four"), "utf8"),
      await Deno.readTextFile(made),
      new Set([process.env.TMPDIR, process.env.TMP, process.env.TEMP, tmpdir()]).size,
    ].join();
  },
  full: () => fs.writeFileSync(join(tmpdir(), "large"), new Uint8Array(3 * 1024 * 1024)),
  fullByDeno: () => Deno.writeFile(join(tmpdir(), "large"), new Uint8Array(3 * 1024 * 1024)),
  write: () => fs.writeFileSync("/etc/planted", "x"),
  writeOwn: () => fs.promises.writeFile(join(import.meta.dirname, "planted"), "x"),
  stream: () => new Promise((resolve, reject) => fs.createWriteStream("/planted").on("error", reject).on("open", resolve)),
  folder: () => fs.promises.mkdir("/var/planted/deep", { recursive: true }),
  read: () => fs.readFileSync("/etc/shadow"),
  readByDeno: () => Deno.readTextFile("/etc/shadow"),
  remove: () => fs.rmSync("/etc/hostname"),
};

export default {
  async fetch(request) {
    try {
      return new Response(String(await attempts[new URL(request.url).pathname.slice(1)]()));
    } catch (error) {
      return new Response(error.code + " " + error.message, { status: 500 });
    }
  },
};
`;

Deno.test("a server can write to its temporary folder, and gets Node's errors elsewhere", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  const directory = await writeModules({ "entry.mjs": SERVER });
  await using server = computeServer({ directory, tmpMb: 2 });
  assert.equal(await server.ask("/temporary"), "200 12,a stream,deno,1");
  for (const name of ["full", "fullByDeno"]) {
    assert.match(await server.ask(`/${name}`), /^500 (?:ENOSPC|EFBIG) /, name);
  }
  for (const name of ["write", "writeOwn", "stream", "folder", "read", "readByDeno", "remove"]) {
    const answer = await server.ask(`/${name}`);
    assert.match(answer, /^500 (?:EACCES|EROFS)/, name);
    assert.doesNotMatch(answer, /--allow|NotCapable/, name);
  }
});

Deno.test("temporary files are private to a server and are deleted when its process exits", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  const directory = await writeModules({
    "entry.mjs": `
import fs from "node:fs";
import { tmpdir } from "node:os";
export default {
  fetch() {
    const found = fs.readdirSync(tmpdir()).join();
    fs.writeFileSync(tmpdir() + "/left", "x");
    return new Response(found + ";" + tmpdir());
  },
};
`,
  });
  await using first = computeServer({ directory });
  await using second = computeServer({ directory });
  const [, folder] = (await first.ask("/")).replace("200 ", "").split(";");
  assert.equal(await first.ask("/"), `200 left;${folder}`);
  assert.match(await second.ask("/"), /^200 ;/);
  await first.server.drain(0);
  await assert.rejects(Deno.stat(`${folder}/left`), Deno.errors.NotFound);
});
