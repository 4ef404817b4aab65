package lang

// zhThemes is what is said of themes, and of the terminal itself.
var zhThemes = []line{
	{"it is larger than %d MB", "文件超过 %d MB"},
	{"it is no theme: %w", "这不是主题文件：%w"},
	{"it has no colors", "其中没有 colors"},
	{"%s is no color of the palette, which goes from 0 to 255", "%s 不是调色板中的颜色，取值为 0 到 255"},
	{"%s is no color; write \"#00aaff\", 0 to 255, oklch(62%% 0.1 200), okhsl(250 60%% 55%%) or the name of a variable", "%s 不是颜色；请写 \"#00aaff\"、0 到 255、oklch(62%% 0.1 200)、okhsl(250 60%% 55%%) 或变量名"},
	{"%s is no color; the forms are oklch(62%% 0.1 200) and okhsl(250 60%% 55%%)", "%s 不是颜色；写法为 oklch(62%% 0.1 200) 和 okhsl(250 60%% 55%%)"},
	{"there is no variable %s in vars", "vars 中没有变量 %s"},
	{"the variable %s leads back to itself", "变量 %s 循环引用自身"},
	{"%s is no color; it has three or six digits, such as #0af", "%s 不是颜色；应为三位或六位，例如 #0af"},
	{"there is no theme of that name; /settings theme lists those that there are", "没有这个名称的主题；/settings theme 会列出现有的主题"},
	{"tmux keeps some keys to itself, such as shift+enter. Put set -g extended-keys on into ~/.tmux.conf, or type ctrl+j for a new line.", "tmux 不会传递某些按键，例如 shift+enter。请在 ~/.tmux.conf 中加入 set -g extended-keys on，或用 ctrl+j 换行。"},
}
