/**
 * @module The script for the upload form. Hashes files and uploads the ones that the platform does
 * not have.
 */
import { sha256Hex } from "../../lib/hash.ts";
import { makeAsset } from "../layout/asset.ts";

const UPLOAD = `"use strict";
{
const form = document.querySelector("form[data-upload]");
const status = form?.querySelector("[data-upload-status]");
const bar = form?.querySelector("progress");
const button = form?.querySelector("button[type=submit]");
const folder = form?.querySelector("#folder");
const archive = form?.querySelector("#archive");
/* Larger files are sent alone. Smaller files are sent in batches of up to this size. */
const BATCH_BYTES = 1024 * 1024;
const BATCH_FILES = 100;
let dropped;
const say = (text, isProblem = false) => {
  status.textContent = text;
  status.className = isProblem ? "notice bad" : "small";
  if (isProblem) status.scrollIntoView({ block: "nearest" });
};
const count = (files) => files.length === 1 ? "1 file" : files.length + " files";
const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/* All dropped files, including those in dropped folders, with their paths. */
const walk = async (entry, found) => {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    found.push({ path: entry.fullPath.slice(1), file });
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return;
    for (const each of entries) {
      if (!leftOut.test(each.fullPath.slice(1))) await walk(each, found);
    }
  }
};
const leftOut = form && new RegExp(form.dataset.leftOut);

const chosen = () => dropped ?? [...folder.files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));

/* Sends the list of files. The response contains the missing files or the next page. */
const sendList = async (action, list) => {
  const body = new FormData(form);
  body.delete("files");
  body.set("list", JSON.stringify(list));
  const response = await fetch(action, { method: "POST", body, headers: { accept: "application/json" } });
  if (response.redirected) return { location: response.url };
  const answer = await response.json().catch(() => ({ error: "The platform is not responding. Try again." }));
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer;
};

const sendBlobs = async (files, onDone) => {
  const headers = { "x-workspace": form.dataset.upload };
  const check = async (response) => {
    if (response.ok) return;
    const problem = await response.json().catch(() => ({}));
    throw new Error(problem.error?.message ?? problem.detail ?? problem.title ?? "The upload failed with status " + response.status);
  };
  let batch = [];
  let bytes = 0;
  const flush = async () => {
    if (batch.length === 0) return;
    const body = new FormData();
    for (const { sha256, file } of batch) body.set(sha256, file, sha256);
    await check(await fetch("/v1/blobs", { method: "POST", headers, body }));
    onDone(batch);
    batch = [];
    bytes = 0;
  };
  for (const each of files) {
    if (each.size > BATCH_BYTES) {
      const type = { "content-type": "application/octet-stream" };
      await check(await fetch("/v1/blobs/" + each.sha256, { method: "PUT", headers: { ...headers, ...type }, body: each.file }));
      onDone([each]);
      continue;
    }
    if (batch.length === BATCH_FILES || bytes + each.size > BATCH_BYTES) await flush();
    batch.push(each);
    bytes += each.size;
  }
  await flush();
};

const upload = async (given) => {
  const files = given.filter(({ path }) => !leftOut.test(path));
  if (files.length === 0) throw new Error("The folder has no files to upload.");
  bar.hidden = false;
  bar.max = files.reduce((sum, { file }) => sum + file.size, 0) || 1;
  bar.value = 0;
  say("Reading " + count(files) + "…");
  const list = [];
  for (const { path, file } of files) {
    const sha256 = hex(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
    list.push({ path, sha256, size: file.size, file });
    bar.value += file.size;
  }
  const wire = list.map(({ path, sha256, size }) => ({ path, sha256, size }));
  say("Comparing with the platform…");
  let answer = await sendList(form.action, wire);
  if (answer.missing !== undefined) {
    const wanted = new Set(answer.missing);
    const missing = list.filter(({ sha256 }) => wanted.delete(sha256));
    bar.value = 0;
    bar.max = missing.reduce((sum, { size }) => sum + size, 0) || 1;
    let sent = 0;
    await sendBlobs(missing, (done) => {
      sent += done.length;
      bar.value += done.reduce((sum, { size }) => sum + size, 0);
      say("Uploaded " + sent + " of " + count(missing) + "; " + (list.length - missing.length) + " were already " +
        "uploaded.");
    });
    say("Deploying…");
    answer = await sendList(answer.action, wire);
  }
  if (answer.location === undefined) throw new Error("The platform lost some files. Upload again.");
  location.assign(answer.location);
};

/* Browsers can hash files only over HTTPS and on localhost. Elsewhere, the form sends the files. */
if (form && globalThis.crypto?.subtle) {
  const place = form.querySelector(".drop");
  for (const name of ["dragenter", "dragover"]) {
    place.addEventListener(name, (event) => { event.preventDefault(); place.classList.add("over"); });
  }
  place.addEventListener("dragleave", () => place.classList.remove("over"));
  place.addEventListener("drop", async (event) => {
    event.preventDefault();
    place.classList.remove("over");
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
    const [only] = event.dataTransfer.files;
    if (entries.length === 1 && entries[0].isFile && /\\.zip$/i.test(entries[0].name)) {
      dropped = undefined;
      folder.value = "";
      const transfer = new DataTransfer();
      transfer.items.add(only);
      archive.files = transfer.files;
      say("Ready to upload " + only.name + ".");
      return;
    }
    const found = [];
    try {
      for (const entry of entries) await walk(entry, found);
      dropped = found;
      archive.value = folder.value = "";
      say("Ready to upload " + count(found) + ".");
    } catch (error) {
      say("Cannot read the folder: " + error.message, true);
    }
  });
  /* The last choice counts. */
  folder.addEventListener("change", () => { dropped = undefined; archive.value = ""; say(""); });
  archive.addEventListener("change", () => { dropped = undefined; folder.value = ""; say(""); });
  form.addEventListener("submit", async (event) => {
    const files = chosen();
    if (files.length === 0) return;
    event.preventDefault();
    button.disabled = true;
    try {
      await upload(files);
    } catch (error) {
      bar.hidden = true;
      button.disabled = false;
      say(error.message, true);
    }
  });
}
}
`;

/** The name contains a hash of the content, so browsers can cache the file permanently. */
export const UPLOAD_SCRIPT_PATH = `/assets/upload-${sha256Hex(UPLOAD).slice(0, 16)}.js`;

export const showUploadScript = makeAsset("text/javascript; charset=utf-8", () => UPLOAD);
