package rawjson

import "testing"

func TestEncode(t *testing.T) {
	got, err := Encode(map[string]any{"b": "<a href=\"&\">\u2028\n", "a": []int{1}})
	if want := `{"a":[1],"b":"<a href=\"&\">\u2028\n"}`; string(got) != want || err != nil {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	if got, err := Encode(make(chan int)); err == nil || got != nil {
		t.Errorf("a channel is %q, %v", got, err)
	}
}
