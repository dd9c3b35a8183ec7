/**
 * The verification page of the device flow (RFC 8628, 3.3).
 *
 * @module
 */
import type { DeviceLoginService } from "../../platform/accounts/mod.ts";
import { type Person, selfCallerOf } from "../../platform/core/access/mod.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import type { WorkspaceService } from "../../platform/workspaces/mod.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { readChoices } from "../visit/long_list.ts";
import { goTo } from "../layout/document.tsx";
import { refused } from "../layout/form.ts";
import { codePage, confirmPage, decidedPage } from "./device_pages.tsx";

const signed = ({ person, csrf }: PersonVisit) => ({
  csrf,
  email: person.user.email ?? person.user.name,
});

export interface DevicePageServices {
  readonly deviceLogin: DeviceLoginService;
  readonly workspaces: WorkspaceService;
}

export function bindDevicePages(
  bind: PageBinder,
  { deviceLogin, workspaces }: DevicePageServices,
): void {
  const workspacesOf = (person: Person) =>
    readChoices((wish) => workspaces.list(selfCallerOf(person), wish));

  bind.personal("GET", "/device", async (visit) => {
    const { person, client, query } = visit;
    const code = query.get("code");
    if (code === null || code.trim() === "") return codePage(signed(visit));
    try {
      const [device, ofPerson] = await Promise.all([
        deviceLogin.find(person, code, client),
        workspacesOf(person),
      ]);
      return confirmPage({
        ...signed(visit),
        device,
        workspaces: ofPerson,
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
        throw new Failure("invalid_request", "Choose to approve or deny");
      }
      const { tool } = await deviceLogin.find(person, userCode, client);
      if (decision === "deny") {
        await deviceLogin.deny(person, userCode, client);
        return decidedPage({ approved: false, tool });
      }
      await deviceLogin.approve(person, { userCode, workspaceId }, client);
      const workspace = (await workspacesOf(person)).find(({ id }) => id === workspaceId);
      return decidedPage({ approved: true, tool, workspace: workspace?.name });
    } catch (error) {
      return codePage({ ...signed(visit), ...refused(error, { code: userCode }) });
    }
  });
}
