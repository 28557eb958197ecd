/** What the page is given of the program, and all of it. Built as CommonJS: a sandboxed preload can be nothing else. */
import { contextBridge, type IpcRendererEvent, ipcRenderer } from "electron";
import type { Bridge } from "../contract/contract.ts";

const bridge: Bridge = {
  call: (name, params) => ipcRenderer.invoke("ownkey:call", name, params),
  look: (look) => ipcRenderer.send("ownkey:look", look),
  onEvent(listener) {
    const hear = (_: IpcRendererEvent, name: string, payload: unknown) => listener(name, payload);
    ipcRenderer.on("ownkey:event", hear);
    return () => ipcRenderer.off("ownkey:event", hear);
  },
};
contextBridge.exposeInMainWorld("ownkey", bridge);
