/** The first steps. */
export const firstRun = {
  "first.title": ["First steps", "开始使用"],
  "first.welcome": ["Welcome", "欢迎"],
  "first.channel": ["Your model", "你的模型"],
  "first.certificate": ["Certificate", "证书"],
  "first.client": ["Cursor", "Cursor"],
  "first.proof": ["First answer", "第一个回答"],
  "first.welcome.title": ["Your own models inside Cursor", "在 Cursor 中使用你自己的模型"],
  "first.channel.title": ["Which model shall answer?", "让哪个模型来回答？"],
  "first.certificate.title": ["Let Cursor trust Ownkey", "让 Cursor 信任 Ownkey"],
  "first.way.ide": ["Cursor", "Cursor"],
  "first.way.cli": ["Command line", "命令行"],
  "first.way.sdk": ["SDK", "SDK"],
  "first.client.title": ["Let Cursor in", "让 Cursor 接入"],
  "first.proof.title": ["Ask something in Cursor", "在 Cursor 中提问"],
  "first.promise.models": [
    "Ownkey runs on this computer and lets Cursor use the models you have a key for.",
    "Ownkey 在这台电脑上运行，让 Cursor 使用你拥有密钥的模型。",
  ],
  "first.promise.account": [
    "You stay signed in to Cursor as usual; nothing about your account is changed.",
    "你照常登录 Cursor，账户不会有任何改动。",
  ],
  "first.promise.undo": [
    "Your keys and conversations stay in a folder of yours, and you can delete all of it.",
    "密钥和会话保存在你自己的目录中，可以全部删除。",
  ],
  "first.channel.about": [
    "Pick a provider, paste your key, fetch the models and choose one. Nothing is sent anywhere before.",
    "选择供应商，粘贴密钥，获取模型列表并选择一个。在此之前不会发送任何内容。",
  ],
  "first.channel.there": [
    "{name} is saved. Test it now, so that what is wrong is seen here and not in Cursor.",
    "{name} 已保存。现在测试一下，有问题在这里就能看到，而不是在 Cursor 里。",
  ],
  "first.proof.about": [
    "In Cursor, open the list of models at the field where you type, choose yours, and ask anything. What happens is seen here at once.",
    "在 Cursor 输入框旁打开模型列表，选择你的模型并随意提问，进展会立即显示在这里。",
  ],
  "first.proof.seen": ["Cursor’s request was seen", "已收到 Cursor 的请求"],
  "first.proof.asked": ["The model was asked", "已请求模型"],
  "first.proof.token": ["The first token came", "已收到首字"],
  "first.proof.finished": ["The answer is finished", "回答已完成"],
  "first.proof.why": ["See why it failed", "查看失败原因"],
  "first.proof.causes": [
    "Nothing yet? Most often Cursor was not started anew after it was connected: quit it with all its windows. A command line or a program needs the lines of the step before.",
    "还没有动静？多半是接入后没有重新启动 Cursor：请关闭它的所有窗口并退出。命令行或程序需要上一步中的内容。",
  ],
  "first.proof.unconnected": [
    "Nothing leads Cursor to Ownkey yet, so it cannot ask your model.",
    "Cursor 还没有接入 Ownkey，因此无法请求你的模型。",
  ],
  "first.proof.connect": ["Connect Cursor", "接入 Cursor"],
  "first.proof.check": ["Check everything", "全面检查"],
  "first.later": ["Not now", "以后再说"],
  "first.next": ["Continue", "继续"],
  "first.done": ["Done", "完成"],
} as const;
