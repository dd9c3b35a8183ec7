/**
 * Tests popular S3 clients against the program. `CLIENT_TESTS=all` installs the AWS SDK for
 * JavaScript and boto3, and needs `rclone` and `python3` on `PATH`. `CLIENT_PACKAGES` and
 * `CLIENT_PYTHON` can be set to folders in which the packages are already installed.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { ROOT } from "../../../scripts/_source_files.ts";
import { NpmPackages, type Variables } from "../../helpers/npm_packages.ts";
import { createProject, type TestPlatform, withPlatform } from "../../helpers/platform.ts";
import { makeTestFolder } from "../../../src/lib/_test_folder.ts";
import { runProgram } from "../../../src/lib/spawn_program.ts";

const ignore = Deno.env.get("CLIENT_TESTS") !== "all";
const PROGRAMS = join(ROOT, "fixtures", "blob_clients");
const VERSION = "3.1175.0";
const packages = new NpmPackages([
  `@aws-sdk/client-s3@${VERSION}`,
  `@aws-sdk/lib-storage@${VERSION}`,
  "@aws-sdk/s3-request-presigner@3.1169.0",
], Deno.env.get("CLIENT_PACKAGES"));

async function run(program: string, args: string[], env: Variables): Promise<string> {
  const { code, stdout, stderr } = await runProgram(program, {
    ...{ args, env: { ...Deno.env.toObject(), ...env }, stdin: "null" },
  });
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.equal(code, 0, `${program} ${args.join(" ")}\n${out}\n${err}`);
  return out!;
}

/** Returns the variables that tell clients where a project's store is. */
async function variablesOf(platform: TestPlatform, project: string): Promise<Variables> {
  await createProject(platform, project);
  const path = `/v1/projects/${project}/blobs/credentials`;
  const { json } = await platform.api("POST", path, { json: { name: "client" } });
  return {
    BUCKET: json.bucket,
    AWS_ENDPOINT_URL_S3: json.endpoint,
    AWS_REGION: json.region,
    AWS_DEFAULT_REGION: json.region,
    AWS_ACCESS_KEY_ID: json.id,
    AWS_SECRET_ACCESS_KEY: json.secret,
  };
}

Deno.test({
  name: "the AWS SDK for JavaScript gets the same results as with S3",
  ignore,
  fn: () =>
    withPlatform(async (platform) => {
      await using folder = await packages.open();
      const script = await Deno.readTextFile(join(PROGRAMS, "aws_sdk.mjs"));
      await folder.write({ "run.mjs": script });
      const env = await variablesOf(platform, "shop");
      assert.equal(await folder.run(["node", "run.mjs"], env), "done\n");
    }),
});

Deno.test({
  name: "boto3 gets the same results as with S3",
  ignore,
  fn: () =>
    withPlatform(async (platform) => {
      let modules = Deno.env.get("CLIENT_PYTHON");
      if (modules === undefined) {
        modules = await makeTestFolder("svc-boto3-");
        const install = ["-m", "pip", "install", "--quiet", "--target", modules, "boto3==1.43.11"];
        await run("python3", install, {});
      }
      const env = { ...await variablesOf(platform, "shop"), PYTHONPATH: modules };
      assert.equal(await run("python3", [join(PROGRAMS, "boto3_client.py")], env), "done\n");
    }),
});

Deno.test({
  name: "rclone copies, checks, moves and deletes a folder, and reads ranges",
  ignore,
  fn: () =>
    withPlatform(async (platform) => {
      const env = await variablesOf(platform, "shop");
      const folder = await makeTestFolder("svc-rclone-");
      const texts = {
        "a b+é.txt": "one",
        "deep/er/two.txt": "two",
        "large.bin": "x".repeat(12 << 20),
      };
      for (const [path, text] of Object.entries(texts)) {
        await Deno.mkdir(join(folder, "from", path, ".."), { recursive: true });
        await Deno.writeTextFile(join(folder, "from", path), text);
      }
      const [from, to] = [join(folder, "from"), join(folder, "to")];
      const remote =
        `:s3,provider=Other,env_auth=true,region=auto,endpoint="${env.AWS_ENDPOINT_URL_S3}":${env.BUCKET}`;
      const rclone = (...args: readonly string[]) =>
        run("rclone", [
          ...[...args, "--retries", "1", "--s3-upload-cutoff", "5M", "--s3-chunk-size", "5M"],
          ...["--config", "/dev/null", "--low-level-retries", "1"],
          // rclone cannot use the certificates from the machine's settings.
        ], { ...env, AWS_CA_BUNDLE: "" });
      await rclone("copy", from, `${remote}/tree`);
      await rclone("check", from, `${remote}/tree`);
      await rclone("check", "--download", from, `${remote}/tree`);
      assert.deepEqual(
        (await rclone("lsf", "-R", "--files-only", `${remote}/tree`)).trim().split("\n").sort(),
        Object.keys(texts).sort(),
      );
      await Deno.writeTextFile(join(from, "a b+é.txt"), "changed");
      await rclone("sync", from, `${remote}/tree`);
      assert.equal(await rclone("cat", `${remote}/tree/a b+é.txt`), "changed");
      assert.equal(
        await rclone("cat", "--offset", "1", "--count", "2", `${remote}/tree/deep/er/two.txt`),
        "wo",
      );
      await rclone("moveto", `${remote}/tree/large.bin`, `${remote}/tree/moved.bin`);
      await rclone("copy", `${remote}/tree`, to);
      assert.equal((await Deno.stat(join(to, "moved.bin"))).size, 12 << 20);
      await rclone("purge", `${remote}/tree`);
      assert.equal(await rclone("lsf", "-R", remote), "");
    }),
});
