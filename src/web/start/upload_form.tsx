/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * @module The form that uploads a folder or an archive. Without JavaScript, it sends all files at
 * once.
 */
import type { Child } from "hono/jsx";
import { formatBytes } from "../../lib/format.ts";
import type { FormState } from "../layout/form.ts";
import { Field } from "../layout/pieces.tsx";
import { MAX_UPLOAD_BYTES } from "./read_upload.ts";
import { LEFT_OUT } from "./site_files.ts";

export function UploadForm({ action, csrf, slug, state, children }: {
  readonly action: string;
  readonly csrf: string;
  readonly slug: string;
  readonly state: FormState;
  /** Other fields. */
  children?: Child;
}) {
  return (
    <form
      method="post"
      action={action}
      enctype="multipart/form-data"
      data-upload={slug}
      data-left-out={LEFT_OUT}
    >
      <input type="hidden" name="csrf" value={csrf} />
      {children}
      <div class="field drop">
        <label for="archive">Zip archive</label>
        <input
          id="archive"
          name="files"
          type="file"
          accept=".zip,application/zip"
          aria-describedby="files-hint"
        />
        <label for="folder">or folder</label>
        <input
          id="folder"
          name="files"
          type="file"
          multiple
          aria-describedby="files-hint"
          {...{ webkitdirectory: "" }}
        />
        <p class="hint" id="files-hint">
          {`You can drop a folder or an archive here. Include an index.html, or a file such as package.json that describes the build. Archives can be up to ${
            formatBytes(MAX_UPLOAD_BYTES)
          }. node_modules, .git and .env files are skipped.`}
        </p>
      </div>
      <Field
        label="Title"
        name="message"
        state={state}
        autocomplete="off"
        maxlength={500}
        optional
        hint="Describe this deployment. Leave empty to use the name of the folder or archive."
      />
      <p class="small" role="status" data-upload-status=""></p>
      <progress hidden aria-label="Upload"></progress>
      <div>
        <button type="submit">Upload and deploy</button>
      </div>
    </form>
  );
}
