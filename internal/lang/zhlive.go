package lang

// zhLive is what is said of other front ends, of the background, and of faults of files.
var zhLive = []line{
	{"Leave; it goes on in the background", "离开，让它在后台继续"},
	{"Leave; it goes on where it runs", "离开，让它在原处继续"},
	{"Stop it and leave", "停止并离开"},
	{"Stop them and leave", "停止它们并离开"},
	{"Stay", "留下"},
	{"Something is still going on. Leave all the same?", "仍有任务在进行，确定离开吗？"},
	{"%d other sessions are at work in the background. Leave?", "有 %d 个会话仍在后台工作。离开吗？"},
	{"The model is at work here.", "模型正在此会话中工作。"},
	{"Stop it and go", "停止并前往"},
	{"Go; it goes on in the background", "前往，让它在后台继续"},
	{"Stay here", "留在此处"},
	{"(open) ", "（已打开）"},
	{"(running) ", "（运行中）"},
	{"%s added something on another branch", "%s在另一分支上添加了内容"},
	{"Changed by another program: %d new entries on another branch.", "已被其他程序更改：另一分支上有 %d 个新条目。"},
	{"Changed by another program: %d new entries go on from here.", "已被其他程序更改：从此处接续了 %d 个新条目。"},
	{"/tree shows what is new, /goto %s goes there; what you say stays on your branch.", "/tree 查看新内容，/goto %s 前往；你说的话留在你的分支上。"},
	{"Not saved: %s", "未保存：%s"},
	{"Not saved: %d entries wait; %s", "未保存：%d 个条目等待写入；%s"},
}
