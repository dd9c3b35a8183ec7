/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module Form fields for the credentials of a private repository. */
import { gitCredentialsBody } from "../../contract/projects.ts";
import { parseGitUrl } from "../../lib/git_url.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import type { Fields, FormState } from "../layout/form.ts";
import { Field } from "../layout/pieces.tsx";
import { TextAreaField } from "../layout/text_area_field.tsx";

export function GitFields({ state }: { readonly state: FormState }) {
  return (
    <>
      <Field
        label="Username"
        name="username"
        state={state}
        autocomplete="off"
        optional
        hint="For a token. Most servers accept any name. Leave empty for git."
      />
      <Field
        label="Access token"
        name="token"
        type="password"
        state={state}
        autocomplete="off"
        optional
        hint="For an https URL. Needs read access, and access to commit statuses to report builds."
      />
      <TextAreaField
        label="SSH private key"
        name="privateKey"
        state={state}
        isSecret
        hint="For an ssh URL. Add its public key to the repository as a deploy key."
      />
    </>
  );
}

/**
 * Reads the entered credentials. Returns `undefined` if there are none.
 *
 * @throws {Failure} `invalid_request` if there are both a token and a key, or if a key is invalid
 * or does not match the URL
 */
export function readGitFields(
  { gitUrl = "", username = "", token = "", privateKey = "" }: Fields,
) {
  const key = privateKey.replaceAll("\r\n", "\n").trim();
  if (key === "" && token === "") return undefined;
  if (key !== "" && token !== "") {
    throw new Failure("invalid_request", "Enter either an access token or an SSH private key");
  }
  const read = gitCredentialsBody.safeParse(
    key === ""
      ? { type: "https", token, ...(username === "" ? {} : { username }) }
      : { type: "ssh", privateKey: `${key}\n` },
  );
  if (read.success) {
    const parsed = parseGitUrl(gitUrl.trim());
    const transport = read.data.type === "https" ? "http" : "ssh";
    if (parsed.ok && parsed.address.transport === transport) return read.data;
    throw new Failure(
      "invalid_request",
      transport === "http"
        ? "An access token needs an https URL. Enter an SSH private key, or change the URL"
        : "An SSH private key needs an ssh URL. Enter an access token, or change the URL",
    );
  }
  const [issue] = read.error.issues;
  throw new Failure("invalid_request", `${String(issue?.path[0])}: ${issue?.message}`);
}
