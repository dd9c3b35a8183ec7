/**
 * @module The part of the dashboard's script for forms. Adds confirmation dialogs, a busy
 * indicator, and a way to continue after the connection or the session is lost. Forms also work
 * without the script.
 */

/** Path where the script looks up who is signed in. */
export const SESSION_PATH = "/session";

export const FORM_SCRIPT = `
{
const parse = (text) => new DOMParser().parseFromString(text, "text/html");
const OFFLINE = "The platform is not responding. Nothing was sent, and what you typed is still here. Check your connection and try again.";
const OTHER_PERSON = "This browser is signed in to another account now. Reload the page to " +
  "continue.";

/* The message above a form. An empty string removes it. */
const tell = (form, text) => {
  form.querySelector(":scope > .told")?.remove();
  if (text === "") return;
  const told = document.createElement("p");
  told.className = "notice bad told";
  told.setAttribute("role", "alert");
  told.textContent = text;
  form.prepend(told);
};

/* Buttons are only marked as disabled, so they keep the focus. A second submission is ignored. */
const setBusy = (form, isBusy, submitter) => {
  form.toggleAttribute("data-busy", isBusy);
  for (const button of form.querySelectorAll("button:not([type=button])")) {
    if (isBusy) button.setAttribute("aria-disabled", "true");
    else button.removeAttribute("aria-disabled");
    if (isBusy && (submitter ?? button) === button) button.setAttribute("aria-busy", "true");
    else button.removeAttribute("aria-busy");
  }
};
const endBusy = () => document.querySelectorAll("form[data-busy]").forEach((form) => setBusy(form, false));

/* Shows a modal dialog and resolves when it closes. The focus then returns to where it was. */
const openDialog = (content, labelledBy) => {
  const opener = document.activeElement;
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", labelledBy);
  dialog.append(content);
  document.body.append(dialog);
  dialog.addEventListener("click", (event) => {
    const isClose = event.target === dialog || event.target.closest("[data-close]") !== null;
    if (!isClose) return;
    event.preventDefault();
    dialog.close();
  });
  dialog.showModal();
  const closed = new Promise((resolve) => dialog.addEventListener("close", () => {
    dialog.remove();
    opener?.focus();
    resolve();
  }));
  return { dialog, closed };
};

/* The session of this browser; null if no one is signed in. */
const readSession = async () => {
  const response = await fetch("${SESSION_PATH}", { redirect: "manual" });
  if (response.type === "opaqueredirect") return null;
  if (!response.ok) throw new TypeError("The platform is not responding");
  return await response.json();
};

/* The sign-in page's form as a dialog. Its links open in a new tab. */
const signIn = async () => {
  const next = "${SESSION_PATH}";
  const read = async (response) => {
    const sheet = parse(await response.text()).querySelector(".sheet");
    sheet.querySelector("h1").id = "again-title";
    for (const link of sheet.querySelectorAll("a")) link.target = "_blank";
    return sheet;
  };
  const sheet = await read(await fetch("/sign-in?next=" + next));
  const note = document.createElement("p");
  note.textContent = "Your session has ended. What you typed is still on the page.";
  sheet.querySelector("h1").after(note);
  const cancel = document.createElement("button");
  cancel.type = "button";
  cancel.className = "quiet";
  cancel.dataset.close = "";
  cancel.textContent = "Cancel";
  const { dialog, closed } = openDialog(sheet, "again-title");
  dialog.append(cancel);
  dialog.addEventListener("submit", async (event) => {
    const form = event.target;
    event.preventDefault();
    if (form.dataset.busy !== undefined) return;
    setBusy(form, true, event.submitter);
    try {
      const response = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form, event.submitter)) });
      if (new URL(response.url).pathname === next) return dialog.close();
      dialog.firstElementChild.replaceWith(await read(response));
      dialog.querySelector("[autofocus], input:not([type=hidden])")?.focus();
    } catch {
      setBusy(form, false);
      tell(form, OFFLINE);
    }
  });
  /* Someone who signed in in another tab returns to this one. */
  const look = async () => { if (!document.hidden && await readSession().catch(() => null)) dialog.close(); };
  document.addEventListener("visibilitychange", look);
  await closed;
  document.removeEventListener("visibilitychange", look);
  return await readSession();
};

/* Whether a form can be sent: there is a session, and the page belongs to the same person. */
const isReady = async (form) => {
  const session = await readSession() ?? await signIn();
  if (session === null) return false;
  const person = document.querySelector("[data-person]")?.dataset.person;
  if (person !== undefined && person !== session.person) {
    tell(form, OTHER_PERSON);
    return false;
  }
  for (const field of document.querySelectorAll("input[name=csrf]")) field.value = session.csrf;
  return true;
};

/* Forms that are submitted without changes. */
const ready = new WeakSet();

/*
 * Fetches the question for an action and shows it. An action without a question is run or
 * refused immediately.
 */
const ask = async (form, submitter) => {
  const action = submitter?.getAttribute("formaction") ?? form.action;
  const fields = new FormData(form, submitter);
  const response = await fetch(action, { method: "POST", body: form.enctype === "multipart/form-data" ? fields : new URLSearchParams(fields) });
  const page = parse(await response.text());
  const question = page.getElementById("question");
  if (question !== null) return await openDialog(question, "question-title").closed;
  if (response.redirected) location.assign(response.url);
  else if (page.querySelector("[data-person]")) {
    /* The response shows the form with its problems, so submit it again to show that page. */
    ready.add(form);
    form.requestSubmit(submitter);
  }
  else tell(form, page.querySelector(".sheet .soft")?.textContent ?? page.title);
};

document.addEventListener("submit", async (event) => {
  const { target: form, submitter } = event;
  if (form.method !== "post" || form.dataset.upload !== undefined || !document.querySelector("[data-person]")) return;
  if (form.closest("dialog") !== null && !form.matches("#question")) return;
  if (ready.delete(form)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (form.dataset.busy !== undefined) return;
  tell(form, "");
  setBusy(form, true, submitter);
  try {
    if (!await isReady(form)) return setBusy(form, false);
    if ((submitter?.dataset.asks ?? form.dataset.asks) !== undefined) {
      await ask(form, submitter);
      return setBusy(form, false);
    }
    ready.add(form);
    form.requestSubmit(submitter);
    /* The page stays if the response is a file. */
    if (form.dataset.file !== undefined) setBusy(form, false);
  } catch {
    setBusy(form, false);
    tell(form, OFFLINE);
  }
}, true);
window.addEventListener("pageshow", endBusy);
document.addEventListener("htmx:finally:request", endBusy);
document.addEventListener("htmx:error", ({ target }) => { if (target.matches?.("form")) tell(target, OFFLINE); });

/* htmx follows redirects, so it would insert the sign-in page if the session has ended. */
document.addEventListener("htmx:before:response", async (event) => {
  const { raw } = event.detail.ctx.response;
  if (!raw.redirected || new URL(raw.url).pathname !== "/sign-in") return;
  event.preventDefault();
  const form = event.target;
  if (form.matches("form") && document.querySelector("dialog") === null && await signIn().catch(() => null)) form.requestSubmit();
});
}
`;
