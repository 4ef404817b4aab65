package lang

import "testing"

func TestWhichLanguage(t *testing.T) {
	for _, tt := range []struct {
		name, flag, setting string
		env                 map[string]string
		want                Language
	}{
		{"nothing is said", "", "", nil, English},
		{"the system is Chinese", "", "auto", map[string]string{"LANG": "zh_CN.UTF-8"}, Chinese},
		{"a locale without a country", "", "", map[string]string{"LANG": "zh"}, Chinese},
		{"Singapore", "", "", map[string]string{"LANG": "zh_SG.utf8"}, Chinese},
		{"Taiwan", "", "", map[string]string{"LANG": "zh_TW.UTF-8"}, English},
		{"Hong Kong, by its writing", "", "", map[string]string{"LANG": "zh_Hant_HK"}, English},
		{"an encoding that is not ours", "", "", map[string]string{"LANG": "zh_CN.GB18030"}, English},
		{"LC_ALL wins", "", "", map[string]string{"LC_ALL": "de_DE.UTF-8", "LANG": "zh_CN.UTF-8"}, English},
		{"LC_MESSAGES wins over LANG", "", "", map[string]string{"LC_MESSAGES": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}, Chinese},
		{"an empty variable says nothing", "", "", map[string]string{"LC_ALL": "", "LANG": "zh_CN.UTF-8"}, Chinese},
		{"the setting wins over the system", "", "en", map[string]string{"LANG": "zh_CN.UTF-8"}, English},
		{"the flag wins over all", "zh-CN", "en", map[string]string{"LANG": "de_DE"}, Chinese},
		{"a setting of nonsense says nothing", "", "klingon", map[string]string{"LANG": "zh_CN.UTF-8"}, Chinese},
		{"a word that begins like it", "", "", map[string]string{"LANG": "zhuang"}, English},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Of(tt.flag, tt.setting, func(k string) string { return tt.env[k] }); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
