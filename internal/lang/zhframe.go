package lang

// zhFrame is what the conversation, its editor and its commands say.
var zhFrame = []line{
	{"Error: %s", "错误：%s"},

	// others.go
	{"another terminal", "另一个终端"},
	{"the editor", "编辑器"},
	{"%s chose the model %s/%s", "%s选择了模型 %s/%s"},
	{"%s set thinking to %s", "%s将思考强度设为 %s"},
	{"%s named the session: %s", "%s将会话命名为：%s"},
	{"%s took a label away", "%s移除了一个标签"},
	{"%s put a label: %s", "%s添加了标签：%s"},
	{"%s changed the permissions: %s, allowed for this session: %s", "%s更改了权限：%s，本会话允许：%s"},
	{"%s changed the permissions: %s", "%s更改了权限：%s"},
	{"the question needs no answer any more", "该问题已无需回答"},
	{"%s answered: %s, %s", "%s回答：%s，%s"},
	{"%s answered: %s", "%s回答：%s"},
	{"this is another session now; what was open is closed", "会话已切换，原先打开的界面已关闭"},
}
