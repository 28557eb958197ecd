/** Why a request to a model failed, and what to do; what the provider said stands below, as it came. */
export const failures = {
  "failure.key": [
    "The key was refused. Enter another one in the channel.",
    "密钥被拒绝。请在渠道中重新输入密钥。",
  ],
  "failure.credit": [
    "The account at the provider has no credit or quota left.",
    "供应商账户的余额或额度已用尽。",
  ],
  "failure.model": [
    "The provider has no such model, or no such address. Fetch the models in the channel and choose again.",
    "上游没有这个模型，或者地址不对。请在渠道中获取模型列表并重新选择。",
  ],
  "failure.rate": [
    "Too many requests at once. Wait a little, or allow fewer at the same time in the channel.",
    "请求过于频繁。请稍候，或者在渠道中减少同时进行的请求。",
  ],
  "failure.context": [
    "The conversation is longer than this model takes. Lower the context window in the channel, or begin a new conversation.",
    "会话超过了模型的上下文长度。请在渠道中调低上下文长度，或者开始新的会话。",
  ],
  "failure.silent": [
    "The provider went silent. The patience is set in the channel, under limits.",
    "供应商长时间没有返回数据。可以在渠道的限制中调整等待时间。",
  ],
  "failure.lost": [
    "The connection to the provider was lost before the answer was complete.",
    "回答完成之前，与供应商的连接中断。",
  ],
  "failure.network": [
    "The provider could not be reached. Look at the address, the proxy, and whether there is internet.",
    "无法连接供应商。请检查地址、代理和网络。",
  ],
  "failure.certificate": [
    "The certificate of the provider was not accepted. Behind a company’s proxy its certificate can be named in the channel.",
    "供应商的证书不被接受。如果使用公司代理，可以在渠道中指定它的证书。",
  ],
  "failure.format": [
    "The answer is not in this API’s format. Let the channel detect the format.",
    "返回的内容不符合该接口格式。请在渠道中检测格式。",
  ],
  "failure.server": ["The provider failed. That often passes by itself.", "上游故障，通常会自行恢复。"],
  "failure.unusable": [
    "The channel cannot be used as it is. Open it and see what is missing.",
    "渠道目前无法使用。请打开它查看缺少什么。",
  ],
  "failure.other": ["The request failed.", "请求失败。"],
  "failure.channel": ["Open the channel", "打开渠道"],
  "said.reached": ["The server can be reached.", "可以连接服务器。"],
  "said.answered": ["It answered.", "已回答。"],
  "said.no_text": ["It answered, but without text.", "已回答，但没有文字。"],
  "said.called": ["It called the tool.", "已调用工具。"],
  "said.no_call": [
    "It answered without calling the tool. Cursor’s agent needs a model that calls tools.",
    "已回答，但没有调用工具。Cursor 的 Agent 需要能调用工具的模型。",
  ],
  "said.not_tried": ["Not tried after what failed before.", "之前的步骤失败，未测试。"],
  "said.tools_off": [
    "This channel is set to take no tools: Cursor’s agent needs them.",
    "此渠道未启用工具：Cursor 的 Agent 需要工具。",
  ],
  "said.images_off": ["This channel is set to see no images.", "此渠道未启用图像。"],
} as const;
