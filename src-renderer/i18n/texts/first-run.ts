/** The first steps. */
export const firstRun = {
  "first.title": ["First steps", "开始使用"],
  "first.welcome": ["Welcome", "欢迎"],
  "first.channel": ["Your model", "你的模型"],
  "first.test": ["Test", "测试"],
  "first.client": ["Cursor", "Cursor"],
  "first.proof": ["First answer", "第一个回答"],
  "first.welcome.title": ["Your own models inside Cursor", "在 Cursor 中使用你自己的模型"],
  "first.channel.title": ["Which model shall answer?", "让哪个模型来回答？"],
  "first.test.title": ["Does it answer?", "它能回答吗？"],
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
    "Pick a provider and paste your key. Nothing is sent anywhere until you test it.",
    "选择供应商并粘贴密钥。在测试之前不会发送任何内容。",
  ],
  "first.channel.there.one": ["{n} channel is there.", "已有 {n} 个渠道。"],
  "first.channel.there.other": ["{n} channels are there.", "已有 {n} 个渠道。"],
  "first.test.about": [
    "One small request goes to your account (a few tokens), exactly as Cursor’s requests will.",
    "会向你的账户发送一个很小的请求（几个 Token），方式与 Cursor 的请求完全相同。",
  ],
  "first.test.none": ["Add a channel first: go one step back.", "请先添加渠道：返回上一步。"],
  "first.client.about": [
    "Cursor’s client signs in with a local key. Make one, and give it to the client as CURSOR_API_KEY.",
    "Cursor 客户端用本地密钥登录。创建一个，并作为 CURSOR_API_KEY 交给客户端。",
  ],
  "first.client.address": [
    "The address for CURSOR_BACKEND_URL is printed where Ownkey was started, as “direct”. It holds a secret, so this window does not show it.",
    "CURSOR_BACKEND_URL 的地址会在启动 Ownkey 的终端中以 “direct” 显示。它包含机密，因此此窗口不显示。",
  ],
  "first.proof.about": [
    "Choose one of your models and ask anything. What happens is seen here at once.",
    "选择你的一个模型并随意提问，进展会立即显示在这里。",
  ],
  "first.proof.seen": ["Cursor’s request was seen", "已收到 Cursor 的请求"],
  "first.proof.asked": ["The model was asked", "已请求模型"],
  "first.proof.token": ["The first token came", "已收到首字"],
  "first.proof.finished": ["The answer is finished", "回答已完成"],
  "first.proof.why": ["See why it failed", "查看失败原因"],
  "first.proof.causes": [
    "Nothing yet? Most often the client still uses another address, or another key than the one from the step before.",
    "还没有动静？多半是客户端仍在使用其他地址，或者不是上一步的密钥。",
  ],
  "first.later": ["Not now", "以后再说"],
  "first.next": ["Go on", "继续"],
  "first.done": ["Done", "完成"],
} as const;
