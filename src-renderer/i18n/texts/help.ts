/** Help. */
export const help = {
  "help.lead": [
    "Ownkey stands between Cursor and a model of yours. Cursor shows the answer and runs the tools; Ownkey asks the model and keeps the conversation.",
    "Ownkey 位于 Cursor 和你的模型之间：Cursor 显示回答并执行工具，Ownkey 请求模型并保存会话。",
  ],
  "help.step.channel": [
    "Add a channel: a model with its address and your key.",
    "添加渠道：一个模型，以及它的地址和你的密钥。",
  ],
  "help.step.key": [
    "Connect Cursor: a certificate, and a few of its settings.",
    "接入 Cursor：一个证书和几项设置。",
  ],
  "help.step.ask": [
    "Ask something in Cursor, and watch it under Conversations.",
    "在 Cursor 中提问，并在“会话”中查看。",
  ],
  "help.what": ["What is a channel?", "什么是渠道？"],
  "help.what.answer": [
    "One account at one provider with one model. Cursor shows each enabled channel as a model of its own, so two channels may have the same model.",
    "一个供应商的一个账户和一个模型。每个启用的渠道在 Cursor 中显示为一个独立的模型，因此两个渠道可以使用相同的模型。",
  ],
  "help.key": ["Where does my key go?", "我的密钥会去哪里？"],
  "help.key.answer": [
    "To the provider’s address and nowhere else. It is sealed on this computer, bound to that address, and no part of this window can show it again.",
    "只会发送到供应商的地址。它封存在这台电脑上并与该地址绑定，此窗口的任何部分都无法再次显示它。",
  ],
  "help.account": ["Does this change my Cursor account?", "这会改变我的 Cursor 账户吗？"],
  "help.account.answer": [
    "No. You stay signed in as usual, and what is not for your own models passes through untouched.",
    "不会。你照常登录，与你的模型无关的内容会原样通过。",
  ],
  "help.refused": ["“The key was refused”", "“密钥被拒绝”"],
  "help.refused.answer": [
    "The provider does not accept the key. Copy it again from the provider’s page, edit the channel and enter it anew. Some providers want a payment method first.",
    "供应商不接受该密钥。请从供应商页面重新复制，编辑渠道并重新输入。有些供应商需要先绑定付款方式。",
  ],
  "help.rate": ["“Too many requests”", "“请求过多”"],
  "help.rate.answer": [
    "The provider limits how much an account may ask. Ownkey waits as long as the provider says and tries up to four times; then the turn ends with the provider’s own words.",
    "供应商限制了账户的请求量。Ownkey 会按供应商的要求等待，最多尝试四次；之后本轮会以供应商的原话结束。",
  ],
  "help.nothing": ["Cursor shows none of my models", "Cursor 没有显示我的模型"],
  "help.nothing.answer": [
    "Look at the chain on the Overview page: the first link that is not green says what is missing. Then start the client again.",
    "查看“概览”页的链路：第一个不是绿色的环节说明缺少什么。然后重新启动客户端。",
  ],
  "help.slow": ["Why does an answer take long?", "为什么回答很慢？"],
  "help.slow.answer": [
    "Open the call in the Inspector and look at Timing: it tells the wait for the provider from the streaming. The Checks tab says whether the provider’s cache could be used.",
    "在“流诊断”中打开该调用并查看“耗时”：它区分了等待供应商与输出的时间。“检查”页说明能否使用供应商的缓存。",
  ],
  "help.cost": ["What does it cost?", "费用是多少？"],
  "help.cost.answer": [
    "What your provider asks for the tokens under Usage. Ownkey itself costs nothing and counts nothing for anybody else.",
    "按“用量”中的 Token 由你的供应商收费。Ownkey 本身不收费，也不为他人统计任何内容。",
  ],
  "help.delete": ["How do I delete everything?", "如何删除所有内容？"],
  "help.delete.answer": [
    "All conversations: Settings, Data. Recordings alone: Settings, Recording. What was changed on this computer: Connect. Everything: stop Ownkey and delete its data folder; Settings, About says where it is.",
    "所有会话：“设置”中的“数据”。仅诊断记录：“设置”中的“记录”。对这台电脑的更改：“接入”。全部：停止 Ownkey 并删除它的数据目录，位置见“设置”中的“关于”。",
  ],
  "help.report": ["How do I report a problem?", "如何反馈问题？"],
  "help.report.answer": [
    "In the Inspector choose Export and the bundle for a bug report. It holds what happened and when, and nothing of what was said; you can look at it before it is saved.",
    "在“流诊断”中选择“导出”和“用于反馈问题的文件”。它只包含发生了什么和时间，不含对话内容；保存前可以查看。",
  ],
} as const;
