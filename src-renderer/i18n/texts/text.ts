/** What stands around foreign text. */
export const text = {
  "link.title": ["Open this link?", "打开这个链接？"],
  "link.host": ["It leads to", "它指向"],
  "link.open": ["Open in the browser", "在浏览器中打开"],
  "code.label": ["Code", "代码"],
  "terminal.label": ["Terminal output", "终端输出"],
  "diff.label": ["Changes", "更改"],
  "diff.gap.one": ["{n} line unchanged", "{n} 行未更改"],
  "diff.gap.other": ["{n} lines unchanged", "{n} 行未更改"],
  "text.cut": ["{shown} of {all} characters shown", "已显示 {all} 个字符中的 {shown} 个"],
  "text.showAll": ["Show all", "显示全部"],
  "image.alt": ["Image of this message", "这条消息的图片"],
} as const;
