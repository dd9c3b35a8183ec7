import assert from "node:assert/strict";
import { join } from "node:path";
import { findS3Credentials, S3CredentialsError } from "./s3_credentials.ts";
import { inTestFolder } from "../../../lib/_test_folder.ts";

const FILE = `# keys
[default]
aws_access_key_id = ID
aws_secret_access_key = SECRET

[other] ; another
aws_access_key_id=ID2
aws_secret_access_key=SECRET2
aws_session_token=TOKEN2
`;

async function withFile(run: (path: string) => Promise<void>): Promise<void> {
  await inTestFolder(async (folder) => {
    const path = join(folder, "credentials");
    await Deno.writeTextFile(path, FILE);
    await run(path);
  });
}

Deno.test("findS3Credentials() prefers the environment over a profile in a file", () =>
  withFile(async (path) => {
    const inFile = { AWS_SHARED_CREDENTIALS_FILE: path };
    const given = { AWS_ACCESS_KEY_ID: "A", AWS_SECRET_ACCESS_KEY: "B", AWS_SESSION_TOKEN: "C" };
    assert.deepEqual(await findS3Credentials({ ...inFile, ...given }), {
      accessKeyId: "A",
      secretAccessKey: "B",
      sessionToken: "C",
    });
    assert.deepEqual(await findS3Credentials(inFile), {
      accessKeyId: "ID",
      secretAccessKey: "SECRET",
    });
    assert.deepEqual(await findS3Credentials({ ...inFile, AWS_PROFILE: "other" }), {
      accessKeyId: "ID2",
      secretAccessKey: "SECRET2",
      sessionToken: "TOKEN2",
    });
  }));

Deno.test("findS3Credentials() reports missing values", () =>
  withFile(async (path) => {
    const refused = (env: Record<string, string>, message: RegExp) =>
      assert.rejects(findS3Credentials(env), (error: Error) => {
        assert.ok(error instanceof S3CredentialsError);
        assert.match(error.message, message);
        return true;
      });
    await refused({ AWS_ACCESS_KEY_ID: "A" }, /in the environment is incomplete/);
    await refused({ AWS_SHARED_CREDENTIALS_FILE: path, AWS_PROFILE: "none" }, /profile "none"/);
    await refused({ AWS_SHARED_CREDENTIALS_FILE: `${path}x` }, /Cannot read the access keys/);
    await refused(
      { HOME: path.replace(/credentials$/, "") },
      /No access key for the object storage/,
    );
  }));
