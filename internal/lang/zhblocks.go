package lang

// zhBlocks is what the blocks of a conversation, images, the clipboard and the mouse
// say.
var zhBlocks = []line{
	{"%s cannot see images", "%s 无法查看图片"},
}
