/** What the doctor finds, and what is to be done in this window. */
export const findings = {
  "finding.running": ["Ownkey is running.", "Ownkey 正在运行。"],
  "finding.stopped": ["Ownkey is not running.", "Ownkey 没有运行。"],
  "finding.answers": [
    "The proxy answers on {place}, and its certificate holds.",
    "代理在 {place} 正常应答，证书有效。",
  ],
  "finding.misled": [
    "The proxy runs, but {place} does not lead to it: {reason}. A VPN, a TUN device or a firewall takes connections to this machine; except 127.0.0.0/8 from it.",
    "代理在运行，但 {place} 没有通向它：{reason}。VPN、TUN 设备或防火墙接管了本机连接，请将 127.0.0.0/8 排除在外。",
  ],
  "finding.no_certificate": [
    "There is no certificate, so Cursor is only passed through. Install it above.",
    "还没有证书，因此 Cursor 的流量只会原样通过。请在上方安装。",
  ],
  "finding.bad_certificate": [
    "The certificate is not used: {reason} Remove it above, and install a new one.",
    "证书无法使用：{reason} 请在上方移除后重新安装。",
  ],
  "finding.certificate_due": [
    "The certificate ends soon. Make a new one above.",
    "证书即将到期。请在上方重新生成。",
  ],
  "finding.certificate_good": ["The certificate is as it should be.", "证书正常。"],
  "finding.trusted": ["It is trusted by: {stores}.", "已受信任：{stores}。"],
  "finding.partly_trusted": [
    "It is trusted by: {stores}. A part of Cursor may look elsewhere; install it also into: {missing}.",
    "已受信任：{stores}。Cursor 的部分组件可能使用其他证书库，请同时安装到：{missing}。",
  ],
  "finding.untrusted": [
    "No store of this system trusts it; programs may, by NODE_EXTRA_CA_CERTS. Install it above.",
    "系统中没有证书库信任它；程序可以通过 NODE_EXTRA_CA_CERTS 信任。请在上方安装。",
  ],
  "finding.not_applied": [
    "Cursor’s settings do not lead to Ownkey. Connect Cursor above.",
    "Cursor 的设置没有指向 Ownkey。请在上方接入 Cursor。",
  ],
  "finding.changed": [
    "{file} was changed since: {keys}. Disconnect Cursor above and connect it again.",
    "{file} 之后被修改：{keys}。请在上方断开 Cursor 后重新接入。",
  ],
  "finding.applied": ["{file} leads to Ownkey.", "{file} 已指向 Ownkey。"],
  "finding.unreadable": ["Cursor’s settings could not be read: {reason}", "无法读取 Cursor 的设置：{reason}"],
  "finding.reached": ["Cursor’s server answers, and is who it says.", "Cursor 服务器正常应答，身份无误。"],
  "finding.unreached": [
    "{reason} Is there internet? In a company’s network set its proxy in Settings, Network.",
    "{reason} 网络是否正常？在公司网络中，请在“设置”的“网络”里填写代理。",
  ],
  "finding.wrong_clock": ["{reason} Set the clock of this computer.", "{reason} 请校准这台电脑的时钟。"],
  "finding.offered": [
    "Of your models, {count} are offered to Cursor.",
    "已向 Cursor 提供你的 {count} 个模型。",
  ],
  "finding.no_models": [
    "There is no model of yours to offer. Add a channel, or switch one on.",
    "没有可以提供的模型。请添加或启用一个渠道。",
  ],
  "finding.distrusted": [
    "Cursor came to the proxy and turned back: it does not trust the certificate. Install it above, then quit Cursor with all its windows and start it again.",
    "Cursor 连接代理后又断开：它不信任证书。请在上方安装证书，然后关闭 Cursor 的所有窗口并重新启动。",
  ],
  "finding.silent": [
    "Cursor has asked nothing yet. Quit it with all its windows and start it again.",
    "Cursor 还没有任何请求。请关闭它的所有窗口并重新启动。",
  ],
  "finding.seen": ["Cursor asked last {minutes} min ago.", "Cursor 最近一次请求在 {minutes} 分钟前。"],
  "finding.unsaid": ["No client has said its version yet.", "还没有客户端报告版本。"],
  "finding.tried": ["{client} is one that was tried.", "{client} 已经过验证。"],
  "finding.untried": [
    "{client} was not tried with this version of Ownkey.",
    "{client} 尚未与此版本的 Ownkey 一起验证。",
  ],
  "finding.news": [
    "{calls} calls are unknown to this version; they are passed on.",
    "有 {calls} 种调用是此版本未知的，已原样转发。",
  ],
  "finding.account": [
    "Whether Cursor lets a Free account pick a model of yours is not known; Ownkey changes no plan. If the list of models is locked: `ownkey run -- COMMAND` and the SDK need no account at all.",
    "Cursor 是否允许免费账户选择你的模型尚不清楚；Ownkey 不会改动任何套餐。如果模型列表被锁定，可以使用 `ownkey run -- 命令` 或 SDK，它们完全不需要账户。",
  ],
} as const;
