/** What the app says outside its page: tray, menus, questions, notices. A language that lacks a sentence does not compile. */
import type { Look } from "../contract/contract.ts";

const en = {
  "state.working": (place: string) => `Working · ${place}`,
  "state.busy": (place: string) => `Working · ${place}`,
  "state.paused": "Paused: everything is passed through",
  "state.attention": "Something needs you",
  "state.stopped": "Stopped",
  runs: (count: number, pace: number) =>
    `${count === 1 ? "1 run" : `${count} runs`} at work${pace > 0 ? ` · ~${pace} tok/s` : ""}`,
  newer: (version: string) => `Version ${version} is out…`,
  open: "Open Ownkey",
  channels: "Default model",
  noChannels: "No model yet: add one…",
  moreChannels: "More…",
  pause: "Pause serving models",
  resume: "Resume serving models",
  off: "Disconnect Cursor (restores its settings)",
  on: "Connect Cursor",
  problem: (what: string) => `Problem: ${what}…`,
  "problem.certificate": "Cursor does not trust the certificate",
  "problem.settings": "somebody changed Cursor's settings",
  "problem.keys": (name: string) => `${name} needs its key`,
  copyProxy: "Copy proxy address",
  openLogs: "Open logs folder",
  diagnostics: "Copy diagnostics…",
  autostart: "Start at login, in the background",
  quit: "Quit",
  stopAndQuit: (count: number) => (count === 1 ? "Stop 1 run and quit…" : `Stop ${count} runs and quit…`),
  edit: "Edit",
  view: "View",
  window: "Window",
  hide: "Hide window",
  "quit.ask": (count: number) =>
    count === 1 ? "One run is at work. Quit all the same?" : `${count} runs are at work. Quit all the same?`,
  "quit.detail":
    "Their answers break off here. Nothing that was finished is lost: Cursor asks again by itself, and they go on when Ownkey is back within a minute.",
  ok: "OK",
  cancel: "Cancel",
  copy: "Copy",
  "diagnostics.ask": "This is what will be copied, and nothing else:",
  "import.ask": (count: number) =>
    count === 1 ? "Add this model, switched off?" : `Add these ${count} models, switched off?`,
  "import.detail": "A link asked for this. Each would receive your conversations once you switch it on:",
  "import.nothing": "This link holds nothing that could be added.",
  "import.add": "Add, switched off",
  "tray.missing": "Ownkey stays in the taskbar",
  "tray.missing.detail": "This desktop shows no tray icons, so the window is minimised instead of hidden.",
  "keys.missing": "Keys are kept in a file",
  "keys.missing.detail":
    "This system has no key store that Ownkey could use. Your keys are sealed by a file in your own folder instead.",
  "keys.locked": "The system's key store did not open",
  "keys.locked.detail":
    "Models whose keys it holds ask for them again. Unlock it and start Ownkey anew, and they are back.",
  "settings.detail": "Cursor may not reach Ownkey. Open it to see what to do.",
  "start.failed": "Ownkey cannot start",
  "start.switch": (word: string) =>
    `Ownkey does not start with ${word}: it would let other programs look inside. Start it without.`,
  "start.running": "Ownkey runs already without its app",
  "start.running.detail": (pid: number) =>
    `It was started on the command line (process ${pid}) and uses the same folder. Its window opens in a browser.`,
  "start.running.open": "Open its window",
  "autostart.refused": "Ownkey does not start by itself from here",
  "autostart.open":
    "Others could replace the program in this place. Install it, or move it to a folder of yours, then try again.",
  "autostart.temporary":
    "It lies in a folder for downloads or temporary files. Move it to where it shall stay, then try again.",
} as const;

type Words<T> = { readonly [K in keyof T]: T[K] extends string ? string : T[K] };

const zh: Words<typeof en> = {
  "state.working": (place) => `运行中 · ${place}`,
  "state.busy": (place) => `运行中 · ${place}`,
  "state.paused": "已暂停：全部流量原样转发",
  "state.attention": "需要处理",
  "state.stopped": "已停止",
  runs: (count, pace) => `${count} 个任务进行中${pace > 0 ? ` · 约 ${pace} tok/s` : ""}`,
  newer: (version) => `有新版本 ${version}…`,
  open: "打开 Ownkey",
  channels: "默认模型",
  noChannels: "还没有模型：添加一个…",
  moreChannels: "更多…",
  pause: "暂停提供模型",
  resume: "恢复提供模型",
  off: "断开 Cursor（还原其设置）",
  on: "连接 Cursor",
  problem: (what) => `问题：${what}…`,
  "problem.certificate": "Cursor 不信任证书",
  "problem.settings": "Cursor 的设置被改动过",
  "problem.keys": (name) => `${name} 需要密钥`,
  copyProxy: "复制代理地址",
  openLogs: "打开日志文件夹",
  diagnostics: "复制诊断信息…",
  autostart: "登录时在后台启动",
  quit: "退出",
  stopAndQuit: (count) => `停止 ${count} 个任务并退出…`,
  edit: "编辑",
  view: "视图",
  window: "窗口",
  hide: "隐藏窗口",
  "quit.ask": (count) => `有 ${count} 个任务正在进行，仍要退出吗？`,
  "quit.detail":
    "正在生成的回答会中断，已完成的内容不会丢失：Cursor 会自动重试，Ownkey 在一分钟内重新启动后任务会继续。",
  ok: "好",
  cancel: "取消",
  copy: "复制",
  "diagnostics.ask": "将复制以下内容，除此之外没有别的：",
  "import.ask": (count) => `添加这 ${count} 个模型（默认关闭）吗？`,
  "import.detail": "这是一个链接请求的。启用之后，它们会收到你的对话内容：",
  "import.nothing": "这个链接里没有可以添加的内容。",
  "import.add": "添加（默认关闭）",
  "tray.missing": "Ownkey 保留在任务栏",
  "tray.missing.detail": "当前桌面不显示托盘图标，因此窗口会最小化而不是隐藏。",
  "keys.missing": "密钥保存在文件中",
  "keys.missing.detail": "系统没有可用的密钥库，密钥改由你自己文件夹中的一个文件加密保存。",
  "keys.locked": "系统密钥库没有打开",
  "keys.locked.detail": "密钥存放在其中的模型会要求重新输入。解锁后重新启动 Ownkey 即可恢复。",
  "settings.detail": "Cursor 可能无法连接 Ownkey。打开窗口查看处理办法。",
  "start.failed": "Ownkey 无法启动",
  "start.switch": (word) => `Ownkey 拒绝带 ${word} 启动：其他程序可借此窥探内部。请去掉后再启动。`,
  "start.running": "Ownkey 已在无界面模式下运行",
  "start.running.detail": (pid) =>
    `它由命令行启动（进程 ${pid}），使用同一个文件夹。它的窗口在浏览器中打开。`,
  "start.running.open": "打开它的窗口",
  "autostart.refused": "不能从当前位置自动启动 Ownkey",
  "autostart.open": "其他用户可以替换此处的程序。请先安装，或移到你自己的文件夹后再试。",
  "autostart.temporary": "程序位于下载或临时文件夹。请先移到固定的位置再试。",
};

export type ShellWords = Words<typeof en>;

export const wordsOf = (language: Look["language"]): ShellWords => (language === "zh-CN" ? zh : en);

/** The system's language, until the page says which one was chosen. */
export const languageOf = (locale: string): Look["language"] => (/^zh/i.test(locale) ? "zh-CN" : "en");
