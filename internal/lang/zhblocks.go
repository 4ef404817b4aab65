package lang

// zhBlocks is what the blocks of a conversation, images, the clipboard and the mouse
// say.
var zhBlocks = []line{
	{"%s cannot see images", "%s 无法查看图片"},

	// paste.go, and the clipboard
	{"the clipboard cannot be read here; paste with the terminal's own key", "此处无法读取剪贴板；请使用终端自己的粘贴键"},
	{"the clipboard holds neither an image nor a text", "剪贴板中既没有图片也没有文本"},
	{"the clipboard holds too much", "剪贴板内容过大"},
	{"the setting images.blockImages keeps all images back", "设置 images.blockImages 阻止发送所有图片"},
	{"over SSH bough cannot read the clipboard of your machine; copy the image to this one and type its path, or paste text with the terminal's own key", "通过 SSH 时 bough 无法读取您电脑上的剪贴板；请把图片复制到本机并输入其路径，文本请使用终端自己的粘贴键"},
	{"the clipboard cannot be read without powershell.exe; drop the file on the terminal, or type its path", "没有 powershell.exe 无法读取剪贴板；请把文件拖到终端上，或输入其路径"},
	{"to paste images install wl-clipboard, or drop the file on the terminal", "要粘贴图片请安装 wl-clipboard，或把文件拖到终端上"},
	{"to paste images install xclip, or drop the file on the terminal", "要粘贴图片请安装 xclip，或把文件拖到终端上"},
	{"there is no clipboard without a desktop; drop the file on the terminal, or type its path", "没有桌面环境就没有剪贴板；请把文件拖到终端上，或输入其路径"},

	// select.go
	{"%s copies it", "%s 复制所选内容"},

	// toolcall.go, leave.go
	{"Elapsed %s", "已用时 %s"},
	{"The end of the conversation, %d rows. All of it is in the session; /export writes it to a file.", "对话的末尾 %d 行。完整内容在会话中；/export 可将其写入文件。"},
}
