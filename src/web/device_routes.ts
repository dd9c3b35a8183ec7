/**
 * The verification page of the device flow (RFC 8628, 3.3).
 *
 * @module
 */
import type { PageServices } from "../platform/accounts/page_services.ts";
import { Failure } from "../platform/core/http/failure.ts";
import { codePage, confirmPage, decidedPage } from "./device_pages.tsx";
import { goTo } from "./document.tsx";
import { refused } from "./form.ts";
import type { PageBinder, PersonVisit } from "./page_binder.tsx";

const signed = ({ person, csrf }: PersonVisit) => ({
  csrf,
  email: person.user.email ?? person.user.name,
});

export function bindDevicePages(bind: PageBinder, pages: PageServices): void {
  bind.personal("GET", "/device", async (visit) => {
    const { person, client, query } = visit;
    const code = query.get("code");
    if (code === null || code.trim() === "") return codePage(signed(visit));
    try {
      const [device, workspaces] = await Promise.all([
        pages.findDevice(person, code, client),
        pages.workspaces(person),
      ]);
      return confirmPage({
        ...signed(visit),
        device,
        workspaces,
        wanted: query.get("workspace"),
      });
    } catch (error) {
      return codePage({ ...signed(visit), ...refused(error, { code }) });
    }
  });

  bind.personal("POST", "/device", ({ fields }) => {
    const code = (fields.code ?? "").trim();
    return goTo(code === "" ? "/device" : `/device?code=${encodeURIComponent(code)}`);
  });

  bind.personal("POST", "/device/decision", async (visit) => {
    const { person, client, fields } = visit;
    const { code: userCode = "", workspaceId = "", decision } = fields;
    try {
      if (decision !== "approve" && decision !== "deny") {
        throw new Failure("invalid_request", "Choose to approve or to deny");
      }
      const { tool } = await pages.findDevice(person, userCode, client);
      if (decision === "deny") {
        await pages.denyDevice(person, { userCode }, client);
        return decidedPage({ approved: false, tool });
      }
      await pages.approveDevice(person, { userCode, workspaceId }, client);
      const workspace = (await pages.workspaces(person)).find(({ id }) => id === workspaceId);
      return decidedPage({ approved: true, tool, workspace: workspace?.name });
    } catch (error) {
      return codePage({ ...signed(visit), ...refused(error, { code: userCode }) });
    }
  });
}
