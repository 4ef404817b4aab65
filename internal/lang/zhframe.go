package lang

// zhFrame is what the conversation, its editor and its commands say.
var zhFrame = []line{
	{"Error: %s", "错误：%s"},
}
